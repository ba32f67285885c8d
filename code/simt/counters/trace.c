/* Tangled from chapters/workshop/simt-executor.nw, "A trace".  Edit it there. */

#include "simt/counters/trace.h"

#include "simt/runtime/names.h"
#include "simt/simt.h"

#include <stdlib.h>
#include <string.h>

/* what is traced */
static struct Trace trace;
static uint64_t launch;         /* the last that was looked at           */
static bool chosen;             /* its kernel is the one                 */
static bool begins;             /* the next starts a basic block         */

static void look_at_launch(const struct Launch *l)
{
    char name[sizeof trace.kernel];
    launch = l->number;
    plain_name(name, sizeof name, l->kernel->name);
    chosen = strcmp(name, trace.kernel) == 0;
    begins = true;
    if (chosen)
        fprintf(trace.to, "%s, block %llu, warp %d: line, instruction, "
                "lanes; waiting: line, lanes\n", name,
                (unsigned long long)trace.block, trace.warp);
}

/* print lanes as digits */
static void print_lanes(const struct Warp *w, uint32_t lanes, uint32_t on)
{
    int n = w->block->threads - w->index * LANES;
    for (int l = 0; l < n && l < LANES; l++)
        fputc(on >> l & 1 ? '0' + l % 10 : lanes >> l & 1 ? '-' : '.',
              trace.to);
}

/* the line of an instruction */
static int line_of(const struct Kernel *k, int pc)
{
    if (pc < 0 || pc >= k->instructions)
        return 0;
    return k->n_files ? k->code[pc].line : k->code[pc].ptx_line;
}

/* print the paths that wait */
static void print_waiting(const struct Warp *w)
{
    uint64_t rest = w->used & ~((uint64_t)1 << w->now);
    while (rest) {
        int best = __builtin_ctzll(rest);
        for (uint64_t m = rest; m; m &= m - 1)
            if (w->path[__builtin_ctzll(m)].age > w->path[best].age)
                best = __builtin_ctzll(m);
        rest &= ~((uint64_t)1 << best);
        const struct Path *p = &w->path[best];
        fprintf(trace.to, "%5d ", line_of(w->block->launch->kernel, p->pc));
        print_lanes(w, 0, p->lanes);
    }
}

/* print a step */
static void step(const struct Warp *w, uint32_t on)
{
    const struct Launch *l = w->block->launch;
    const struct Instruction *i = &l->kernel->code[w->pc];
    if (l->number != launch)
        look_at_launch(l);
    if (!chosen || w->block->linear != trace.block ||
        w->index != trace.warp)
        return;
    if (begins || !trace.blocks) {
        fprintf(trace.to, "%4d  %-18s ", line_of(l->kernel, w->pc),
                i->name);
        print_lanes(w, w->active, trace.blocks ? w->active : on);
        print_waiting(w);
        fputc('\n', trace.to);
    }
    begins = i->ends;
}

/* begin a trace */
void trace_begin(struct Trace t)
{
    trace = t;
    launch = 0;
    simt_options.step = step;
}

/* read which warp to trace */
static bool take_number(char *text, uint64_t *value)
{
    char *colon = strrchr(text, ':');
    if (!colon || !colon[1] || (colon > text && colon[-1] == ':') ||
        colon[1 + strspn(colon + 1, "0123456789")] ||
        strlen(colon) > 10)
        return false;
    *value = strtoull(colon + 1, NULL, 10);
    *colon = '\0';
    return true;
}

bool trace_read(struct Trace *t, const char *text, struct Error *e)
{
    uint64_t last = 0, before = 0;
    *t = (struct Trace){ .to = stderr };
    if (!*text || strlen(text) >= sizeof t->kernel)
        return error_set(e, "SIMT_TRACE=%.40s: KERNEL[:BLOCK[:WARP]] is "
                         "expected", text);
    strcpy(t->kernel, text);
    if (!take_number(t->kernel, &last))
        return true;
    bool two = take_number(t->kernel, &before);
    t->block = two ? before : last;
    t->warp = two ? (int)last : 0;
    return true;
}
