/* Tangled from chapters/workshop/measuring-a-gpu.nw, "bench-latency: the caches of a CPU".  Edit it there. */

/* bench-latency: how long one load takes and how fast loads can follow each
 * other, against the size of what they visit. */
#include "base/alloc.h"
#include "base/args.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "bench/block.h"
#include "bench/chase.h"

#include <stdio.h>

static const char *out = "", *machine = "";
static int runs = 7, max_mib = 1024;
static struct Numbers numbers;
static void *volatile sink;         /* so that no load is left out */

/* write the chain into a block */
/* Link n lines of a block, `spacing` bytes apart, into one random cycle.
 * With one line a page, each lies at another place in its page, so that
 * they do not fight for the same sets of the caches. */
static size_t place(size_t i, size_t spacing)
{
    return i * spacing + (spacing > LINE ? i * LINE % spacing : 0);
}

static void link_lines(char *block, size_t n, size_t spacing)
{
    uint32_t *next = xcalloc(n, sizeof *next);
    chase_cycle(next, n, n);
    for (size_t i = 0; i < n; i++)
        *(void **)(block + place(i, spacing))
            = block + place(next[i], spacing);
    free(next);
}

/* follow a chain of pointers */
static void *follow(void *p, size_t steps)
{
    for (size_t i = 0; i < steps; i++)
        p = *(void **)p;
    return p;
}

/* bench-latency: time a chain */
static double ns_per_load(char *block, size_t n, size_t spacing)
{
    size_t steps = n < 1 << 15 ? 1 << 15 : n < 1 << 19 ? n : 1 << 19;
    struct Sample t = { 0 };
    link_lines(block, n, spacing);
    void *p = follow(block, n < 1 << 21 ? n : 1 << 21);
    for (int r = 0; r < runs; r++) {
        double start = now_s();
        p = follow(p, steps);
        sample_add(&t, now_s() - start);
    }
    sink = p;
    return 1e9 * fastest(&t) / (double)steps;
}

/* bench-latency: read a block */
static double gb_per_s(const char *block, size_t bytes)
{
    size_t times = ((size_t)64 << 20) / bytes + 1;
    struct Sample t = { 0 };
    long any = read_all(block, bytes);
    for (int r = 0; r < runs; r++) {
        double start = now_s();
        for (size_t i = 0; i < times; i++)
            any |= read_all(block, bytes);
        sample_add(&t, now_s() - start);
    }
    sink = (void *)any;
    return (double)(bytes * times) / fastest(&t) / 1e9;
}

/* bench-latency: the tables */
static void sweep(char *small, char *huge)
{
    printf("\none load after the other, one line of 64 bytes each\n"
           "%10s %14s %14s %14s\n", "KiB", "4 KiB pages", "2 MiB pages",
           "read, 2 MiB");
    for (size_t kib = 4, step = 0; kib <= (size_t)max_mib << 10;
         kib = step++ % 2 ? kib / 3 * 4 : kib / 2 * 3) {
        size_t bytes = kib << 10;
        double s = ns_per_load(small, bytes / LINE, LINE);
        double h = ns_per_load(huge, bytes / LINE, LINE);
        double g = gb_per_s(huge, bytes);
        printf("%10zu %11.2f ns %11.2f ns %9.1f GB/s\n", kib, s, h, g);
        number_put(&numbers, "ns", s, "cpu.chase.small.%zu", kib);
        number_put(&numbers, "ns", h, "cpu.chase.huge.%zu", kib);
        number_put(&numbers, "GB/s", g, "cpu.read.%zu", kib);
    }
}

static void pages(char *small, char *huge)
{
    size_t most = ((size_t)max_mib << 20) / 4096;
    printf("\none line in each 4 KiB\n%10s %14s %14s\n", "lines",
           "4 KiB pages", "2 MiB pages");
    for (size_t n = 16; n <= 65536 && n <= most; n *= 2) {
        double s = ns_per_load(small, n, 4096);
        double h = ns_per_load(huge, n, 4096);
        printf("%10zu %11.2f ns %11.2f ns\n", n, s, h);
        number_put(&numbers, "ns", s, "cpu.pages.small.%zu", n);
        number_put(&numbers, "ns", h, "cpu.pages.huge.%zu", n);
    }
}

/* bench-latency: main */
/* How much of this process lies in huge pages; the kernel only promises
 * to try. */
static size_t huge_mib(void)
{
    size_t kib = 0;
    char line[128];
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "AnonHugePages: %zu", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib >> 10;
}

int main(int argc, char **argv)
{
    const struct Option options[] = {
        NUMBERS_OPTIONS(out, machine),
        { "max-mib", OPT_INT, &max_mib, 1, 65536, "N",
          "size of the largest block", NULL },
        RUNS_OPTION(runs),
        { .type = OPT_END },
    };
    const struct Usage usage = { "[options]",
        "Time loads from each level of this processor's memory.", NULL };
    args_options(argc, argv, options, &usage);
    struct Error e;
    if (!numbers_open(&numbers, out, machine, "bench-latency", &e))
        fail("%s", e.text);
    printf("%s; fastest of %d runs, one thread\n", cpu_name(), runs);
    char *small = block_new((size_t)max_mib << 20, false);
    char *huge = block_new((size_t)max_mib << 20, true);
    printf("%zu MiB of them in pages of 2 MiB\n", huge_mib());
    sweep(small, huge);
    pages(small, huge);
    if (!numbers_close(&numbers, &e))
        fail("%s", e.text);
    return 0;
}
