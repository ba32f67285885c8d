/* Tangled from chapters/workshop/simt-runtime.nw, "The report".  Edit it there. */

#include "simt/counters/report.h"

#include "base/error.h"
#include "base/text.h"
#include "simt/counters/entry.h"
#include "simt/counters/page.h"
#include "simt/runtime/names.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* what is kept of a kernel */
static enum { NONE, TABLE, LINES, CSV, SUMS, HTML, JSON } mode;
static FILE *out;
static const struct Gpu *gpu;
static struct Entry *entry;
static int entries;

static struct Entry *entry_of(const struct Kernel *k)
{
    for (int i = 0; i < entries; i++)
        if (entry[i].kernel == k)
            return &entry[i];
    entry = realloc(entry, (size_t)(entries + 1) * sizeof *entry);
    struct Site *site = calloc((size_t)k->instructions, sizeof *site);
    if (!entry || !site)
        fail("simt: no memory for the report");
    entry[entries] = (struct Entry){ .kernel = k, .site = site,
                                     .same = true };
    plain_name(entry[entries].name, sizeof entry->name, k->name);
    return &entry[entries++];
}

static void traffic_add(struct Traffic *to, const struct Traffic *t)
{
    to->requests += t->requests;
    to->sectors += t->sectors;
    to->wavefronts += t->wavefronts;
    to->conflicts += t->conflicts;
    to->bytes += t->bytes;
}

static void site_add(struct Site *to, const struct Site *s)
{
    to->executed += s->executed;
    to->active += s->active;
    to->on += s->on;
    to->divergent += s->divergent;
    if (s->executed)
        to->kind = s->kind;
    for (int i = 0; i < SPACES; i++)
        traffic_add(&to->in[i], &s->in[i]);
    traffic_add(&to->again, &s->again);
}

struct Totals totals_of(const struct Kernel *k, const struct Site *site)
{
    struct Totals t = { 0 };
    for (int i = 0; i < k->instructions; i++)
        totals_add(&t, &site[i], k->code[i].work, k->code[i].flop);
    t.smem_static = k->static_shared;
    return t;
}

/* collect a launch */
static void csv(const struct Launch *l, const char *name,
                const struct Totals *t)
{
    for (int i = 0; i < METRIC_COUNT; i++)
        fprintf(out, "%s,%llu,%s,%llu\n", name,
                (unsigned long long)l->number, metric_table[i].name,
                (unsigned long long)metric_value(t, i));
    if (simt_options.sample > 1)
        fprintf(out, "%s,%llu,blocks_counted,%llu\n", name,
                (unsigned long long)l->number, (unsigned long long)l->seen);
}

static double least_seconds(const struct Totals *t);

uint64_t volume(struct Dim3 d)
{
    return (uint64_t)d.x * d.y * d.z;
}

static void collect(const struct Launch *l)
{
    struct Entry *e = entry_of(l->kernel);
    struct Totals t = totals_of(l->kernel, l->site);
    t.launch_warps = volume(l->grid) *
                     ((volume(l->block) + LANES - 1) / LANES);
    t.smem_dynamic = l->dynamic_shared;
    if (l->touched)
        touched_count(l->touched, &t.unique_read, &t.unique_written);
    if (mode == CSV)
        csv(l, e->name, &t);
    e->seen += l->seen;
    for (int i = 0; i < l->kernel->instructions; i++)
        site_add(&e->site[i], &l->site[i]);
    e->same = e->same && (e->launches == 0 ||
              (memcmp(&e->grid, &l->grid, sizeof l->grid) == 0 &&
               memcmp(&e->block, &l->block, sizeof l->block) == 0));
    e->grid = l->grid;
    e->block = l->block;
    e->launches++;
    e->warps += t.launch_warps;
    e->read += t.unique_read;
    e->written += t.unique_written;
    e->least_s += least_seconds(&t);
    if (l->dynamic_shared > e->dynamic_shared)
        e->dynamic_shared = l->dynamic_shared;
}

/* numbers in few columns */
static const char *few(char text[16], double n)
{
    static const char letters[] = " kMGTP";
    int i = 0;
    if (n < 99999.5) {
        snprintf(text, 16, "%.0f", n);
        return text;
    }
    for (; n >= 999.95 && letters[i + 1]; i++)
        n /= 1000;
    snprintf(text, 16, "%.*f%c", n < 9.9995 ? 3 : n < 99.995 ? 2 : 1, n,
             letters[i]);
    return text;
}

/* a / b with d digits, or a dash where there is nothing to divide */
static const char *ratio(char text[16], uint64_t a, uint64_t b, int d)
{
    if (b == 0)
        snprintf(text, 16, "-");
    else
        snprintf(text, 16, "%.*f", d, (double)a / (double)b);
    return text;
}

/* A name in the first column; alone on its line if it is too long. */
static void name_column(const char *name, int width)
{
    if ((int)strlen(name) > width)
        fprintf(out, "%s\n%*s", name, width, "");
    else
        fprintf(out, "%-*s", width, name);
}

/* the least time a card could take */
static double memory_seconds(const struct Totals *t)
{
    return 32.0 * (double)(t->unique_read + t->unique_written) /
           gpu->bytes_per_s;
}

static double least_seconds(const struct Totals *t)
{
    double plain = (double)t->flop / gpu->flop_per_s;
    double tensor = (double)t->tensor_flop / gpu->tensor_flop_per_s;
    return fmax(memory_seconds(t), fmax(plain, tensor));
}

/* the table */
static void counts_row(const struct Entry *e, const struct Totals *t)
{
    char a[8][16];
    uint64_t shared = t->sld_req + t->sst_req + t->ldsm_req + t->stsm_req;
    uint64_t waves = t->sld_wave + t->sst_wave + t->ldsm_wave +
                     t->stsm_wave;
    uint64_t loads = t->gld_req + t->async_ca_req + t->async_cg_req;
    uint64_t load_sectors = t->gld_sec + t->async_ca_sec + t->async_cg_sec;
    uint64_t writes = t->gst_req + t->gatom_req + t->gred_req;
    uint64_t write_sectors = t->gst_sec + t->gatom_sec + t->gred_sec;
    name_column(e->name, 17);
    fprintf(out, "%6s %6s %5s %6s %5s %6s %5s %6s %5s\n",
            few(a[0], (double)e->launches), few(a[1], (double)t->inst),
            ratio(a[2], t->thread_inst, t->inst, 1),
            few(a[3], (double)loads), ratio(a[4], load_sectors, loads, 2),
            few(a[5], (double)writes),
            ratio((char[16]){ 0 }, write_sectors, writes, 2),
            few(a[6], (double)shared), ratio(a[7], waves, shared, 2));
}

static void counts_table(void)
{
    fprintf(out, "%-17s%6s %6s %5s %12s %12s %12s\n", "", "", "warp",
            "", "global reads", "writes", "shared");
    fprintf(out, "%-17s%6s %6s %5s %6s %5s %6s %5s %6s %5s\n", "kernel",
            "runs", "instr.", "lanes", "req.", "s/req", "req.", "s/req",
            "req.", "w/req");
    for (int i = 0; i < entries; i++) {
        struct Totals t = totals_of(entry[i].kernel, entry[i].site);
        counts_row(&entry[i], &t);
    }
}

static void work_row(const struct Entry *e, const struct Totals *t)
{
    char a[4][16];
    int registers = registers_stated(e->name);
    double bytes = 32.0 * (double)(e->read + e->written);
    uint64_t asked = t->gld_bytes + t->gst_bytes + t->async_ca_bytes +
                     t->async_cg_bytes + t->gatom_bytes + t->gred_bytes;
    double flop = (double)t->flop + (double)t->half_flop +
                  (double)t->double_flop + (double)t->tensor_flop;
    struct Occupancy o = occupancy(gpu, (int)volume(e->block),
                                   t->smem_static + e->dynamic_shared,
                                   registers);
    name_column(e->name, 17);
    fprintf(out, "%7s %7s %7s %7s %9.3f  %2d of %2d %s%s\n",
            few(a[0], (double)asked),
            few(a[1], bytes), few(a[2], flop),
            bytes > 0 ? (snprintf(a[3], 16, "%.2f", flop / bytes), a[3])
                      : "-",
            1e6 * e->least_s, o.warps, o.of, o.limit,
            registers ? "" : "?");
}

static void work_table(void)
{
    fprintf(out, "\n%-17s%7s %7s %7s %7s %9s  %s\n", "", "bytes", "bytes",
            "", "FLOP/", "least us,", "resident warps,");
    fprintf(out, "%-17s%7s %7s %7s %7s %9s  %s\n", "kernel", "asked",
            "DRAM>=", "FLOP", "byte", gpu->key, "limited by");
    bool unknown = false;
    for (int i = 0; i < entries; i++) {
        struct Totals t = totals_of(entry[i].kernel, entry[i].site);
        work_row(&entry[i], &t);
        unknown |= !registers_stated(entry[i].name);
    }
    if (unknown)
        fprintf(out, "? registers not stated (SIMT_REGISTERS=kernel=N, from"
                " ptxas -v)\n");
}

/* the source with its counts */
int sum_lines(struct Line *line, int room, const struct Entry *e, int file)
{
    int last = 0;
    for (int i = 0; i < e->kernel->instructions; i++) {
        const struct Instruction *n = &e->kernel->code[i];
        const struct Site *s = &e->site[i];
        if (n->file != file || n->line < 1 || n->line >= room)
            continue;
        struct Line *l = &line[n->line];
        bool writes = s->kind == ACCESS_STORE || s->kind == ACCESS_ATOM ||
                      s->kind == ACCESS_RED;
        site_add(&l->sum, s);
        traffic_add(writes ? &l->write : &l->read, &s->in[SPACE_GLOBAL]);
        l->used = true;
        last = n->line > last ? n->line : last;
    }
    return last;
}

/* requests, and sectors or wavefronts for each; blank if there are none */
static void pair_column(uint64_t requests, uint64_t cost)
{
    char a[2][16];
    if (requests)
        fprintf(out, " %6s %5s", few(a[0], (double)requests),
                ratio(a[1], cost, requests, 2));
    else
        fprintf(out, "%13s", "");
}

static bool wasteful(const struct Traffic *t)
{
    return t->sectors > t->requests &&
           32 * t->sectors > t->bytes + t->bytes / 4;
}

static void line_counts(const struct Line *l)
{
    char a[2][16];
    const struct Traffic *shared = &l->sum.in[SPACE_SHARED];
    if (!l->sum.executed) {
        fprintf(out, "%56s", "");
        return;
    }
    fprintf(out, "%6s %5s", few(a[0], (double)l->sum.executed),
            ratio(a[1], l->sum.active, l->sum.executed, 1));
    pair_column(l->read.requests, l->read.sectors);
    pair_column(l->write.requests, l->write.sectors);
    pair_column(shared->requests, shared->wavefronts);
    fprintf(out, " %c%c%c ",
            wasteful(&l->read) || wasteful(&l->write) ? 'S' : ' ',
            shared->conflicts ? 'B' : ' ', l->sum.divergent ? 'D' : ' ');
}

bool near_use(const struct Line *line, int i, int last)
{
    for (int k = i - CONTEXT; k <= i + CONTEXT; k++)
        if (k >= 1 && k <= last && line[k].used)
            return true;
    return false;
}

const char *from_here(const char *path)
{
    char here[4096];
    size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;
    return n && strncmp(path, here, n) == 0 && path[n] == '/'
           ? path + n + 1 : path;
}

static void print_source(const char *path, const struct Line *line,
                         int last)
{
    char text[512] = "";
    FILE *f = fopen(path, "r");
    bool gap = false;
    fprintf(out, "%s%s\n", from_here(path), f ? "" : " (cannot be opened)");
    fprintf(out, "%5s %6s %5s %6s %5s %6s %5s %6s %5s\n", "line", "instr.",
            "lanes", "reads", "s/req", "writes", "s/req", "shared",
            "w/req");
    for (int i = 1; i <= last + CONTEXT; i++) {
        if (f && !fgets(text, sizeof text, f))
            break;
        text[strcspn(text, "\n")] = 0;
        if (!near_use(line, i, last)) {
            gap = true;
            continue;
        }
        if (gap)
            fprintf(out, "%5s\n", "...");
        gap = false;
        fprintf(out, "%5d ", i);
        line_counts(i <= last ? &line[i] : &(struct Line){ 0 });
        show_text(out, text, strlen(text));
        fputc('\n', out);
    }
    if (f)
        fclose(f);
}

static void source_of(const struct Entry *e)
{
    struct Line *line = malloc(MAX_LINES * sizeof *line);
    if (!line)
        fail("simt: no memory for the report");
    fprintf(out, "\n%s: %llu launch%s\n", e->name,
            (unsigned long long)e->launches, e->launches == 1 ? "" : "es");
    for (int file = 0; file < e->kernel->n_files; file++) {
        memset(line, 0, MAX_LINES * sizeof *line);
        int last = sum_lines(line, MAX_LINES, e, file);
        if (last)
            print_source(e->kernel->files[file], line, last);
    }
    free(line);
}

/* sums by kernel and by line */
static void sums_of(const struct Entry *e, const char *file, int line,
                    const struct Totals *t)
{
    for (int i = 0; i < METRIC_COUNT; i++)
        if (line == 0 || metric_value(t, i))
            fprintf(out, "%s\t%s\t%d\t%s\t%llu\n", e->name, file, line,
                    metric_table[i].name,
                    (unsigned long long)metric_value(t, i));
}

static int by_line(const void *a, const void *b)
{
    const struct Instruction *x = *(struct Instruction *const *)a;
    const struct Instruction *y = *(struct Instruction *const *)b;
    return x->file != y->file ? (x->file > y->file) - (x->file < y->file)
                              : (x->line > y->line) - (x->line < y->line);
}

static void sums_of_lines(const struct Entry *e)
{
    int n = e->kernel->instructions;
    const struct Instruction **sorted = malloc((size_t)n * sizeof *sorted);
    if (!sorted)
        fail("simt: no memory for the report");
    for (int i = 0; i < n; i++)
        sorted[i] = &e->kernel->code[i];
    qsort(sorted, (size_t)n, sizeof *sorted, by_line);
    for (int i = 0; i < n; ) {
        const struct Instruction *first = sorted[i];
        struct Totals t = { 0 };
        for (; i < n && by_line(&sorted[i], &first) == 0; i++)
            totals_add(&t, &e->site[sorted[i] - e->kernel->code],
                       sorted[i]->work, sorted[i]->flop);
        if (first->file >= 0 && first->file < e->kernel->n_files)
            sums_of(e, e->kernel->files[first->file], first->line, &t);
    }
    free(sorted);
}

static void sums(void)
{
    fprintf(out, "kernel\tfile\tline\tmetric\tvalue\n");
    for (int i = 0; i < entries; i++) {
        const struct Entry *e = &entry[i];
        struct Totals t = totals_of(e->kernel, e->site);
        t.launch_warps = e->warps;
        t.unique_read = e->read;
        t.unique_written = e->written;
        t.smem_dynamic = e->dynamic_shared;
        fprintf(out, "%s\t\t0\tlaunches\t%llu\n", e->name,
                (unsigned long long)e->launches);
        if (simt_options.sample > 1)
            fprintf(out, "%s\t\t0\tblocks_counted\t%llu\n", e->name,
                    (unsigned long long)e->seen);
        sums_of(e, "", 0, &t);
        sums_of_lines(e);
    }
}

/* begin and end the report */
static void tell_sample(void)
{
    const struct Sampled *s = &simt_sampled;
    if (s->blocks)
        fprintf(out, "a sample: of the launches with several blocks %llu of"
                " %llu blocks are counted\nand checked, one in %llu "
                "(SIMT_SAMPLE); nothing is scaled; of all blocks are only"
                "\nruns and warps launched\n", (unsigned long long)s->seen,
                (unsigned long long)s->blocks,
                (unsigned long long)simt_options.sample);
}

void report_begin(void)
{
    static const char *const names[] = { "", "table", "lines", "csv",
                                         "sums", "html", "json" };
    const char *form = getenv("SIMT_REPORT");
    const char *path = getenv("SIMT_REPORT_FILE");
    gpu = gpu_chosen();
    out = stderr;
    simt_options.count = false;
    if (!form || !*form)
        return;
    for (int i = TABLE; i <= JSON; i++)
        if (strcmp(form, names[i]) == 0)
            mode = i;
    if (mode == NONE)
        misuse("SIMT_REPORT=%s: no such form; known are table, lines, "
               "csv, sums, html, json", form);
    if (simt_options.sample > 1 && (mode == HTML || mode == JSON))
        misuse("SIMT_SAMPLE=%llu with SIMT_REPORT=%s: the page shows no "
               "sample; take table, lines, csv or sums, or leave out "
               "SIMT_SAMPLE", (unsigned long long)simt_options.sample,
               form);
    if (mode == HTML || mode == JSON)
        page_watch();
    if (path && *path && !(out = fopen(path, "w")))
        fail("cannot write the report to SIMT_REPORT_FILE=%s: %s", path,
             strerror(errno));
    simt_options.count = true;
    launch_ended = collect;
    if (mode == CSV)
        fprintf(out, "kernel,launch,metric,value\n");
}

void report_end(void)
{
    if (mode == NONE && simt_options.check)
        tell_sample();
    if (mode == NONE)
        return;
    if (mode == HTML || mode == JSON)
        page_write(out, entry, entries, gpu, mode == HTML);
    else if (mode == SUMS)
        sums();
    else if (mode != CSV && entries == 0)
        fprintf(out, "no kernel was launched\n");
    else if (mode != CSV) {
        counts_table();
        work_table();
    }
    for (int i = 0; mode == LINES && i < entries; i++)
        source_of(&entry[i]);
    if (mode != CSV && mode != SUMS)
        tell_sample();
    if (mode == LINES && entries)
        fprintf(out, "S: more sectors than the bytes need; B: bank "
                "conflicts; D: warps split\n");
    if (fflush(out) != 0 || ferror(out))
        warn("the report could not be written whole");
}
