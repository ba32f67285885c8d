/* Tangled from chapters/workshop/report-page.nw, "What has to be remembered".  Edit it there. */

#include "simt/counters/page.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* what is remembered of a kernel */
struct Worst { struct Access access; int cost, least; uint64_t block;
               int warp; };
struct Step { int line; uint32_t lanes; unsigned times; };
enum { MOST_STEPS = 600 };

static struct Watched {
    const struct Kernel *kernel;
    struct Worst **worst;           /* [kernel->instructions], or NULL   */
    uint64_t launch;                /* whose first warp is followed      */
    struct Step step[MOST_STEPS];
    int steps;
    bool cut;                       /* there were more                   */
} *watched;
static int n_watched;

static struct Watched *watched_of(const struct Launch *l)
{
    static int last;
    if (last < n_watched && watched[last].kernel == l->kernel)
        return &watched[last];
    for (last = 0; last < n_watched; last++)
        if (watched[last].kernel == l->kernel)
            return &watched[last];
    watched = realloc(watched, (size_t)(n_watched + 1) * sizeof *watched);
    if (!watched)
        fail("simt: no memory for the report");
    watched[n_watched] = (struct Watched){ .kernel = l->kernel,
        .worst = xcalloc((size_t)l->kernel->instructions,
                         sizeof *watched->worst),
        .launch = l->number };
    return &watched[n_watched++];
}

/* remember the costliest access */
static void keep_worst(const struct Warp *w, const struct Access *a)
{
    struct Worst now = { .access = *a, .block = w->block->linear,
                         .warp = w->index };
    if (a->space == SPACE_GLOBAL)
        now.cost = global_sectors(a);
    else if (a->space == SPACE_SHARED)
        now.cost = shared_wavefronts(a, &now.least);
    else
        return;
    struct Worst **at = &watched_of(w->block->launch)->worst[w->pc];
    if (*at && (*at)->cost >= now.cost)
        return;
    if (!*at)
        *at = xcalloc(1, sizeof **at);
    **at = now;
}

/* remember the lanes of a warp */
static void keep_step(const struct Warp *w, uint32_t on)
{
    if (w->block->linear || w->index)
        return;
    struct Watched *k = watched_of(w->block->launch);
    if (k->launch != w->block->launch->number || k->cut)
        return;
    const int line = k->kernel->code[w->pc].line;
    struct Step *s = k->steps ? &k->step[k->steps - 1] : NULL;
    if (s && s->line == line && s->lanes == on)
        s->times++;
    else if (k->steps < MOST_STEPS)
        k->step[k->steps++] = (struct Step){ line, on, 1 };
    else
        k->cut = true;
}

void page_watch(void)
{
    simt_options.access = keep_worst;
    simt_options.step = keep_step;
}

/* write a string of JSON */
static void text(FILE *out, const char *s)
{
    fputc('"', out);
    for (; *s; s++) {
        const unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < ' ' || c == '<')
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static unsigned long long big(uint64_t n)
{
    return n;
}

/* write an access */
static const char *kind_name(enum AccessKind kind)
{
    static const char *const name[] = {
        [ACCESS_LOAD] = "load", [ACCESS_STORE] = "store",
        [ACCESS_ATOM] = "atomic", [ACCESS_RED] = "atomic",
        [ACCESS_ASYNC_CA] = "cp.async.ca",
        [ACCESS_ASYNC_CG] = "cp.async.cg",
        [ACCESS_LDMATRIX] = "ldmatrix", [ACCESS_STMATRIX] = "stmatrix" };
    const size_t n = sizeof name / sizeof *name;
    return (size_t)kind < n && name[kind] ? name[kind] : "access";
}

static void write_access(FILE *out, const struct Worst *w)
{
    const struct Access *a = &w->access;
    fprintf(out, ",\"access\":{\"kind\":\"%s\",\"space\":\"%s\","
            "\"size\":%d,\"lanes\":%u,\"cost\":%d,\"least\":%d,"
            "\"block\":%llu,\"warp\":%d,\"at\":[", kind_name(a->kind),
            a->space == SPACE_GLOBAL ? "global" : "shared", a->size,
            a->lanes, w->cost, w->least, big(w->block), w->warp);
    const int f = a->lanes ? __builtin_ctz(a->lanes) : 0;
    for (int l = 0; l < LANES; l++) {
        uint64_t at = a->uniform ? a->address[f] : a->address[l];
        if (a->contiguous)
            at = a->address[f] + (uint64_t)(int64_t)(a->size * (l - f));
        fprintf(out, "%s%llu", l ? "," : "",
                a->lanes >> l & 1 ? big(at) : 0);
    }
    fprintf(out, "]}");
}

/* write a line of source */
static const struct Worst *worst_of(const struct Kernel *k, int file,
                                    int line)
{
    const struct Worst *most = NULL;
    int n = 0;
    while (n < n_watched && watched[n].kernel != k)
        n++;
    for (int j = 0; n < n_watched && j < k->instructions; j++) {
        const struct Worst *w = watched[n].worst[j];
        if (k->code[j].file == file && k->code[j].line == line && w
            && (!most || w->cost > most->cost))
            most = w;
    }
    return most;
}

static void write_line(FILE *out, const struct Line *l,
                       const struct Worst *w)
{
    const struct Traffic *s = &l->sum.in[SPACE_SHARED];
    fprintf(out, "{\"inst\":%llu,\"active\":%llu,\"split\":%llu",
            big(l->sum.executed), big(l->sum.active),
            big(l->sum.divergent));
    fprintf(out, ",\"read\":[%llu,%llu,%llu],\"write\":[%llu,%llu,%llu]",
            big(l->read.requests), big(l->read.sectors), big(l->read.bytes),
            big(l->write.requests), big(l->write.sectors),
            big(l->write.bytes));
    fprintf(out, ",\"shared\":[%llu,%llu,%llu]", big(s->requests),
            big(s->wavefronts), big(s->conflicts));
    if (w)
        write_access(out, w);
    fputc('}', out);
}

/* write a file of source */
static void write_source(FILE *out, const struct Entry *e, int file,
                       const struct Line *line, int last)
{
    char s[512] = "";
    FILE *f = fopen(e->kernel->files[file], "r");
    bool first = true;
    fprintf(out, "{\"path\":");
    text(out, from_here(e->kernel->files[file]));
    fprintf(out, ",\"lines\":[");
    for (int i = 1; i <= last + CONTEXT; i++) {
        if (f && !fgets(s, sizeof s, f))
            break;
        s[strcspn(s, "\n")] = 0;
        if (!near_use(line, i, last))
            continue;
        fprintf(out, "%s[%d,", first ? "" : ",\n", i);
        first = false;
        text(out, s);
        if (i <= last && line[i].used) {
            fputc(',', out);
            write_line(out, &line[i], worst_of(e->kernel, file, i));
        }
        fputc(']', out);
    }
    fprintf(out, "]}");
    if (f)
        fclose(f);
}

static void write_files(FILE *out, const struct Entry *e)
{
    struct Line *line = xcalloc(MAX_LINES, sizeof *line);
    bool first = true;
    fprintf(out, ",\"files\":[");
    for (int file = 0; file < e->kernel->n_files; file++) {
        memset(line, 0, MAX_LINES * sizeof *line);
        const int last = sum_lines(line, MAX_LINES, e, file);
        if (!last)
            continue;
        fprintf(out, "%s", first ? "" : ",");
        write_source(out, e, file, line, last);
        first = false;
    }
    fprintf(out, "]");
    free(line);
}

/* write the lanes of a warp */
static void write_steps(FILE *out, const struct Kernel *k)
{
    fprintf(out, ",\"steps\":[");
    bool cut = false;
    for (int i = 0; i < n_watched; i++) {
        if (watched[i].kernel != k)
            continue;
        for (int j = 0; j < watched[i].steps; j++)
            fprintf(out, "%s[%d,%u,%u]", j ? "," : "",
                    watched[i].step[j].line, watched[i].step[j].lanes,
                    watched[i].step[j].times);
        cut = watched[i].cut;
    }
    fprintf(out, "],\"cut\":%s", cut ? "true" : "false");
}

/* write a kernel */
static void write_shape(FILE *out, const struct Entry *e,
                        const struct Gpu *gpu, size_t shared)
{
    const int registers = registers_stated(e->name);
    const struct Occupancy o = occupancy(gpu, (int)volume(e->block),
                                         shared, registers);
    fprintf(out, ",\"launches\":%llu,\"grid\":[%u,%u,%u],"
            "\"block\":[%u,%u,%u],\"same\":%s,\"shared\":%zu,"
            "\"registers\":%d,\"occupancy\":{\"blocks\":%d,\"warps\":%d,"
            "\"of\":%d,\"limit\":", big(e->launches), e->grid.x, e->grid.y,
            e->grid.z, e->block.x, e->block.y, e->block.z,
            e->same ? "true" : "false", shared, registers, o.blocks,
            o.warps, o.of);
    text(out, o.limit);
    fprintf(out, "},\"least_us\":%.6g", 1e6 * e->least_s);
}

static void write_kernel(FILE *out, const struct Entry *e,
                         const struct Gpu *gpu)
{
    struct Totals t = totals_of(e->kernel, e->site);
    t.launch_warps = e->warps;
    t.unique_read = e->read;
    t.unique_written = e->written;
    t.smem_dynamic = e->dynamic_shared;
    fprintf(out, "{\"name\":");
    text(out, e->name);
    write_shape(out, e, gpu, t.smem_static + e->dynamic_shared);
    fprintf(out, ",\"counts\":{");
    const char *comma = "";
    for (int i = 0; i < METRIC_COUNT; i++)
        if (metric_value(&t, i)) {
            fprintf(out, "%s\"%s\":%llu", comma, metric_table[i].name,
                    big(metric_value(&t, i)));
            comma = ",";
        }
    fputc('}', out);
    write_steps(out, e->kernel);
    write_files(out, e);
    fputc('}', out);
}

/* write all kernels */
static void write_json(FILE *out, const struct Entry *entry, int entries,
                       const struct Gpu *gpu)
{
    fprintf(out, "{\"simt_report\":1,\"program\":");
    text(out, program_invocation_short_name);
    fprintf(out, ",\n\"gpu\":{\"name\":");
    text(out, gpu->name);
    fprintf(out, ",\"bytes_per_s\":%g,\"flop_per_s\":%g,"
            "\"tensor_flop_per_s\":%g},\n\"metrics\":{", gpu->bytes_per_s,
            gpu->flop_per_s, gpu->tensor_flop_per_s);
    for (int i = 0; i < METRIC_COUNT; i++) {
        fprintf(out, "%s\"%s\":", i ? "," : "", metric_table[i].name);
        text(out, metric_table[i].what);
    }
    fprintf(out, "},\n\"kernels\":[\n");
    for (int i = 0; i < entries; i++) {
        write_kernel(out, &entry[i], gpu);
        fprintf(out, "%s\n", i + 1 < entries ? "," : "");
    }
    fprintf(out, "]}\n");
}

/* read an earlier report */
/* An earlier report, as it will stand in the page; misuse if it is none. */
static void map_earlier(struct Mapped *m, const char *path)
{
    struct JsonDocument doc;
    struct Error e;
    if (!map_file(m, path, &e)
        || !json_parse(&doc, path, (const char *)m->data, m->size, &e))
        misuse("SIMT_REPORT_BESIDE: %s", e.text);
    const struct Json *version = json_get(doc.root, "simt_report");
    if (!version || version->type != JSON_NUMBER || version->number != 1
        || memchr(m->data, '<', m->size))
        misuse("SIMT_REPORT_BESIDE=%s: JSON, but not what SIMT_REPORT=json "
               "writes: it has no \"simt_report\": 1", path);
    json_free(&doc);
}

/* write the page */
#include "report_page.h"            /* report_page, made of page.html    */

void page_write(FILE *out, const struct Entry *entry, int entries,
                const struct Gpu *gpu, bool html)
{
    static const char here[] = "%DATA%", there[] = "%BESIDE%";
    const char *path = getenv("SIMT_REPORT_BESIDE");
    struct Mapped earlier = { 0 };
    if (!html) {
        write_json(out, entry, entries, gpu);
        return;
    }
    const char *data = strstr(report_page, here);
    const char *beside = strstr(report_page, there);
    fwrite(report_page, 1, (size_t)(data - report_page), out);
    write_json(out, entry, entries, gpu);
    data += sizeof here - 1;
    fwrite(data, 1, (size_t)(beside - data), out);
    if (path && *path) {
        map_earlier(&earlier, path);
        fwrite(earlier.data, 1, earlier.size, out);
        unmap_file(&earlier);
    } else
        fputs("null", out);
    fputs(beside + sizeof there - 1, out);
}
