/* Tangled from chapters/workshop/first-programs.nw, "lower-bound: reading a list of GPUs".  Edit it there. */

#include "lessons/gpu_list.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* one row of the list */
static const char *const head =
    "gpu,year,sms,clock_ghz,fp32_tflops,matmul_tflops,memory_gbs,";

static bool row_read(struct PaperGpu *g, const char *line)
{
    double fp32, matmul, memory;
    char name[sizeof g->name];
    /* step over name, year, multiprocessors and clock */
    const char *at = line;
    for (int comma = 0; at && comma < 4; comma++)
        if ((at = strchr(at, ',')))
            at++;
    if (!at || sscanf(line, "%39[^,]", name) != 1
        || sscanf(at, "%lf,%lf,%lf,", &fp32, &matmul, &memory) != 3)
        return false;
    escape_text(g->name, sizeof g->name, name, strlen(name), "");
    g->fp32_flops = 1e12 * fp32;
    g->matmul_flops = 1e12 * matmul;
    g->memory_bytes = 1e9 * memory;
    return fp32 > 0 && matmul > 0 && memory > 0;
}

/* all rows of the list */
int paper_gpus_read(struct PaperGpu *gpu, int max, const char *path,
                    struct Error *e)
{
    char line[500];
    int n = 0, number = 0;
    bool headed = false, good = true;
    FILE *f = fopen(path, "r");
    if (!f) {
        error_set(e, "%s: cannot open it", path);
        return -1;
    }
    while (good && n < max && fgets(line, sizeof line, f)) {
        number++;
        /* take one line of the list */
        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (!headed)
            good = headed = strncmp(line, head, strlen(head)) == 0;
        else
            good = row_read(&gpu[n++], line);
    }
    fclose(f);
    if (good && headed)
        return n;
    error_set(e, "%s:%d: expected \"%s...\", then rows of a name and "
              "positive rates", path, number, head);
    return -1;
}

/* the slower of arithmetic and memory */
double lower_bound_s(const struct PaperGpu *gpu, double flop, double bytes,
                     bool matmul, bool *by_memory)
{
    double rate = matmul ? gpu->matmul_flops : gpu->fp32_flops;
    double arithmetic_s = flop / rate;
    double memory_s = bytes / gpu->memory_bytes;
    if (by_memory)
        *by_memory = memory_s > arithmetic_s;
    return memory_s > arithmetic_s ? memory_s : arithmetic_s;
}
