/* Chapter 3, The software GPU: the story of a warp: 3.10.2 Tables, traps and faults */
/* Tangled from chapters/03-software-gpu.nw by `make tangle`; edit it there. */

#include "simt/execute.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* the path on top of the stack (3.3) */
/* A path whose lanes have all returned, or which has reached the point
 * where it meets the path below, is at its end. */
static bool settle(struct Warp *w)
{
    struct Path *top = &w->path[w->depth];
    while (!top->lanes || w->pc == top->meet) {
        /* the last path ends with the warp (3.3) */
        if (w->depth == 0) {
            if (top->lanes)
                break;          /* the outermost path meets nobody */
            w->active = 0;
            w->state = WARP_DONE;
            return false;
        }
        top = &w->path[--w->depth];
        w->pc = top->pc;
    }
    w->active = top->lanes;
    return true;
}

/* lanes go different ways (3.3) */
static void push(struct Warp *w, int pc, int meet, uint32_t lanes)
{
    if (!lanes || pc == meet)
        return;                 /* they wait where they are */
    if (w->depth + 1 == MAX_PATHS) {
        launch_fault(w, FAULT_INSTRUCTION, "lanes of a warp are on more "
                     "than %d different ways", MAX_PATHS);
        return;
    }
    w->path[++w->depth] = (struct Path){ pc, meet, lanes };
    w->next = pc;
}

/* lanes go different ways, continued (3.3) */
/* The path on top becomes the one that waits at the meeting point; what
 * it would do there it may already be waiting for. */
static void open_ways(struct Warp *w, int meet)
{
    struct Path *top = &w->path[w->depth];
    if (meet == top->meet && w->depth > 0)
        w->depth--;
    else
        top->pc = meet;
    w->next = meet;
}

/* lanes return (3.3) */
static void leave(struct Warp *w, uint32_t lanes)
{
    for (int k = 0; k <= w->depth; k++)
        w->path[k].lanes &= ~lanes;
    w->alive &= ~lanes;
    w->active &= ~lanes;
}

/* lanes return, continued (3.3) */
void run_exit(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    (void)i;
    leave(w, on);
}

/* branch (3.3) */
void run_branch(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    uint32_t off = w->active & ~on;
    /* lanes that branch to a return go at once (3.3) */
    if (i->leaves & LEAVES_IF_TAKEN) {
        leave(w, on);
        return;                 /* the others fall through */
    }
    if (i->leaves & LEAVES_IF_NOT) {
        leave(w, off);
        w->next = i->target;
        return;
    }
    if (!off) {
        w->next = i->target;
        return;
    }
    /* both sides go on top of the stack (3.3) */
    if (w->block->launch->site)
        w->block->launch->site[w->pc].divergent++;
    int behind = w->pc + 1;
    open_ways(w, i->meet);
    push(w, i->target, i->meet, on);
    push(w, behind, i->meet, off);
}

/* branch through a table (3.10.2) */
void run_branch_table(struct Warp *w, const struct Instruction *i,
                      uint32_t on)
{
    const uint32_t *index = w->file + i->a[0];
    uint32_t rest = on, off = w->active & ~on;
    int behind = w->pc + 1, meet = i->meet;
    bool first = true;
    /* refuse an index outside of the table (3.10.2) */
    for (uint32_t m = on; m; m &= m - 1) {
        uint32_t entry = index[__builtin_ctz(m)];
        if (entry >= (uint32_t)i->width) {
            launch_fault(w, FAULT_INSTRUCTION, "brx.idx: entry %u of a table "
                         "of %d", entry, i->width);
            return;
        }
    }
    while (rest) {
        /* find the lanes that go the way of the first (3.10.2) */
        int to = i->table[index[__builtin_ctz(rest)]];
        uint32_t lanes = 0;
        for (uint32_t m = rest; m; m &= m - 1)
            if (i->table[index[__builtin_ctz(m)]] == to)
                lanes |= m & -m;
        /* send them there (3.10.2) */
        if (lanes == w->active) {       /* nobody goes another way */
            w->next = to;
            return;
        }
        if (first)
            open_ways(w, meet);
        first = false;
        push(w, to, meet, lanes);
        rest &= ~lanes;
    }
    push(w, behind, meet, off);
    if (w->block->launch->site)
        w->block->launch->site[w->pc].divergent++;
}

/* how many lanes (3.2) */
static inline unsigned lanes_in(uint32_t mask)
{
    return mask == ALL_LANES ? LANES : (unsigned)__builtin_popcount(mask);
}

/* run a warp (3.2) */
void warp_run(struct Warp *w, int slice)
{
    struct Launch *launch = w->block->launch;
    const struct Instruction *code = launch->kernel->code;
    struct Site *site = launch->site;
    int steps = 0;
    while (steps < slice && launch->fault == FAULT_NONE && settle(w)) {
        /* execute a straight run (3.2) */
        const struct Instruction *i = &code[w->pc];
        uint32_t active = w->active;
        int first = w->pc;

        /* count the run (3.2) */
        /* All instructions of a straight run are executed as often as its first,
         * by the same lanes: counted there, spread when the launch is over. */
        if (site) {
            site[first].executed++;
            site[first].active += lanes_in(active);
        }
        for (;; i++) {
            uint32_t on = active & (w->file[i->guard] ^ i->guard_not);
            w->next = w->pc + 1;
            if (i->guarded && site)
                site[w->pc].on += lanes_in(on);
            if (on || i->leaves)
                i->run(w, i, on);
            if (i->ends)
                break;
            w->pc++;
        }
        steps += w->pc - first + 1;
        w->pc = w->next;
        if (w->state != WARP_READY)
            break;
    }
    w->block->steps += (unsigned)steps;
}

/* stop a launch (3.10.2) */
bool launch_fault(struct Warp *w, enum Fault fault, const char *format, ...)
{
    struct Launch *l = w->block->launch;
    if (l->fault != FAULT_NONE)
        return false;
    const struct Instruction *i = &l->kernel->code[w->pc];
    /* what went wrong, and where in the source (3.10.2) */
    char what[500], where[300] = "";
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (i->line && i->file < l->kernel->n_files &&
        l->kernel->files[i->file])
        snprintf(where, sizeof where, "%s:%d: ", l->kernel->files[i->file],
                 i->line);
    l->fault = fault;
    return error_set(&l->error, "%skernel %.100s, block (%u,%u,%u), warp "
                     "%d: %s", where, l->kernel->name, w->block->index.x,
                     w->block->index.y, w->block->index.z, w->index, what);
}

/* a trap, and nothing (3.10.2) */
void run_trap(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    (void)i;
    struct Dim3 t = thread_index(w, __builtin_ctz(on));
    launch_fault(w, FAULT_TRAP, "thread (%u,%u,%u) executed a trap", t.x,
                 t.y, t.z);
}

void run_nothing(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    (void)w, (void)i, (void)on;
}
