/* Tangled from chapters/workshop/simt-executor.nw, "Barriers of a block".  Edit it there. */

#include "simt/executor/execute.h"

#include <stdio.h>

/* let a barrier go */
static void release(struct Block *b, int id)
{
    struct Barrier *r = &b->barrier[id];
    if (b->launch->check)
        check_barrier(b);
    for (int k = 0; k < b->warps; k++) {
        struct Warp *w = &b->warp[k];
        if (w->state != WARP_AT_BARRIER || w->waits_for != id)
            continue;
        w->state = WARP_READY;
        /* give the warp what the threads have voted */
        const struct Instruction *i =
            &b->launch->kernel->code[w->pc - 1];
        bool all = r->votes == r->voters;
        bool yes = i->op == OP_AND ? all : r->votes != 0;
        if (i->op == OP_POPC)
            for (int l = 0; l < LANES; l++)
                w->file[i->d[0] + (unsigned)l] = r->votes;
        else if (i->op != OP_NONE)
            w->file[i->d[0]] = yes ? ALL_LANES : 0;
    }
    *r = (struct Barrier){ 0 };
}

/* Release what is complete; false: nothing was. */
static bool release_barriers(struct Block *b)
{
    uint32_t waiting[BARRIERS] = { 0 }, done = 0;
    bool any = false;
    /* count who waits where */
    for (int k = 0; k < b->warps; k++) {
        done += b->warp[k].state == WARP_DONE;
        if (b->warp[k].state == WARP_AT_BARRIER)
            waiting[b->warp[k].waits_for]++;
    }
    for (int id = 0; id < BARRIERS; id++) {
        /* complete = has everybody come who is waited for? */
        const struct Barrier *r = &b->barrier[id];
        bool complete = r->expected ? r->arrived * LANES >= r->expected
                        : waiting[id] + done == (uint32_t)b->warps;
        if (waiting[id] && complete) {
            release(b, id);
            any = true;
        }
    }
    return any;
}

/* nobody can go on */
static void deadlock(struct Block *b)
{
    char who[300] = "";
    size_t n = 0;
    struct Warp *first = NULL;
    for (int k = 0; k < b->warps && n < sizeof who - 60; k++) {
        struct Warp *w = &b->warp[k];
        if (w->state != WARP_AT_BARRIER)
            continue;
        /* say where this warp waits */
        const struct Instruction *i =
            &b->launch->kernel->code[w->pc - 1];
        first = first ? first : w;
        n += (size_t)snprintf(who + n, sizeof who - n, "%swarp %d at "
                              "barrier %d (line %d)", n ? ", " : "",
                              w->index, w->waits_for, i->line);
    }
    first->pc--;
    launch_fault(first, FAULT_BARRIER, "the warps wait for each other for "
                 "ever: %s", who);
}

/* run a block */
enum { SLICE = 100 * 1000 };

void run_block(struct Block *b)
{
    struct Launch *l = b->launch;
    int done = 0;
    while (done < b->warps && l->fault == FAULT_NONE) {
        bool moved = false;
        done = 0;
        /* give each warp its turn */
        for (int k = 0; k < b->warps && l->fault == FAULT_NONE; k++) {
            struct Warp *w = &b->warp[k];
            if (w->state == WARP_YIELDS)
                w->state = WARP_READY;
            if (w->state == WARP_READY) {
                warp_run(w, SLICE);
                moved = true;
                if (w->state == WARP_DONE)
                    async_end(w);
            }
            done += w->state == WARP_DONE;
        }
        /* stop a block that goes on for ever */
        if (b->steps > simt_options.step_limit)
            launch_fault(&b->warp[0], FAULT_TIMEOUT, "more than %llu "
                "instructions in a block; does a loop wait for another "
                "block? Blocks run one after the other",
                (unsigned long long)simt_options.step_limit);
        /* let barriers go, or say that nobody can */
        if (done < b->warps && l->fault == FAULT_NONE &&
            !release_barriers(b) && !moved)
            deadlock(b);
    }
}
