/* Tangled from chapters/workshop/simt-executor.nw, "Barriers of a block".  Edit it there. */

#include "simt/executor/hopper.h"
#include "simt/sanitizer/async.h"

#include <stdio.h>

/* let a barrier go */
static bool all_wait(const struct Block *b, int id)
{
    int n = 0;
    for (int k = 0; k < b->warps; k++)
        n += b->warp[k].state == WARP_AT_BARRIER &&
             b->warp[k].waits_for == id;
    return n == b->warps;
}

static void release(struct Block *b, int id)
{
    struct Barrier *r = &b->barrier[id];
    if (b->launch->check && r->expected && !all_wait(b, id))
        check_part_barrier(b, id);
    else if (b->launch->check)
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

/* let a cluster's barrier go */
static void cluster_barrier(struct Cluster *c)
{
    uint32_t alive = 0;
    for (int r = 0; c->arrived && r < c->n; r++)
        for (int k = 0; k < c->block[r].warps; k++)
            alive += (unsigned)__builtin_popcount(
                c->block[r].warp[k].alive);
    if (!c->arrived || c->arrived < alive)
        return;
    c->arrived = 0;
    c->phase++;
    c->moved++;
    if (c->launch->check)
        check_cluster_barrier(c);
}

/* nobody can go on */
/* What a phase lacks: "1 of 2 arrivals and 512 bytes" */
static void lacks(const struct MbarrierWait *x, char *to, size_t room)
{
    struct Mbarrier m;
    const struct Tracked *t = mbarrier_tracked(x->block, x->at);
    char bytes[60] = "";
    if (!mbarrier_read(x->block, x->at, &m)) {
        snprintf(to, room, "which is none any more");
        return;
    }
    if (m.bytes)
        snprintf(bytes, sizeof bytes, " and has %d bytes announced that "
                 "no copy brings", m.bytes);
    snprintf(to, room, "phase %u of the mbarrier at byte %u (initialised at"
             " line %d), which lacks %u of %u arrivals%s",
             t ? t->phase : 0, x->at,
             t ? x->block->launch->kernel->code[t->init].line : 0,
             m.pending, m.expected, bytes);
}

static int tell_wait(const struct Warp *w, char *to, size_t room)
{
    const struct Instruction *code = w->block->launch->kernel->code;
    const struct MbarrierWait *x = &w->waits;
    char what[300];
    if (w->state == WARP_AT_BARRIER)
        return snprintf(to, room, "warp %d at barrier %d (line %d)",
                        w->index, w->waits_for, code[w->pc - 1].line);
    if (!x->block)
        return snprintf(to, room, "warp %d at barrier.cluster.wait",
                        w->index);
    lacks(x, what, sizeof what);
    return snprintf(to, room, "warp %d (line %d) for %s", w->index,
                    code[x->pc].line, what);
}

static void deadlock(struct Cluster *c)
{
    char who[900] = "";
    size_t n = 0;
    struct Warp *first = NULL;
    for (int r = 0; r < c->n; r++)
        for (int k = 0; k < c->block[r].warps; k++) {
            struct Warp *w = &c->block[r].warp[k];
            if (w->state == WARP_DONE || n > sizeof who - 400)
                continue;
            first = first ? first : w;
            n += (size_t)snprintf(who + n, sizeof who - n, "%s",
                                  n ? ", " : "");
            if (r)
                n += (size_t)snprintf(who + n, sizeof who - n,
                                      "of block %d of the cluster ", r);
            n += (size_t)tell_wait(w, who + n, sizeof who - n);
        }
    first->pc = first->waits.block ? first->waits.pc : first->pc - 1;
    if (first->waits.block && c->launch->check)
        check_problem(PROBLEM_PHASE, first, first->alive, "waits for ever; "
                      "the warps wait for each other: %s", who);
    launch_fault(first, FAULT_BARRIER, "the warps wait for each other for "
                 "ever: %s", who);
}

/* run a block */
enum { SLICE = 100 * 1000, QUIET = 2000 };

/* One turn for each warp of a block; true: all have returned. */
static bool run_round(struct Block *b, bool *moved, bool *waits)
{
    struct Launch *l = b->launch;
    int done = 0;
    /* give each warp its turn */
    for (int k = 0; k < b->warps && l->fault == FAULT_NONE; k++) {
        struct Warp *w = &b->warp[k];
        if (w->state == WARP_YIELDS)
            w->state = WARP_READY;
        if (w->state == WARP_READY) {
            w->stuck = false;
            warp_run(w, SLICE);
            *moved |= !w->stuck;
            *waits |= w->stuck;
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
    bool all = done == b->warps;
    if (!all && l->fault == FAULT_NONE && release_barriers(b))
        *moved = true;
    return all;
}

void run_cluster(struct Cluster *c)
{
    struct Launch *l = c->launch;
    bool done = false;
    for (int quiet = 0; !done && l->fault == FAULT_NONE;) {
        uint64_t before = c->moved;
        bool moved = false, waits = false;
        done = true;
        for (int r = 0; r < c->n && l->fault == FAULT_NONE; r++) {
            if (c->n > 1 && l->check)
                check_block_turn(&c->block[r]);
            done &= run_round(&c->block[r], &moved, &waits);
        }
        cluster_barrier(c);
        moved |= c->moved != before;
        quiet = moved ? 0 : quiet + (waits ? 1 : QUIET);
        if (!done && quiet >= QUIET && l->fault == FAULT_NONE)
            deadlock(c);
    }
}
