/* Tangled from chapters/workshop/simt-hopper.nw, "The barrier of a cluster".  Edit it there. */

#include "simt/executor/hopper.h"
#include "simt/sanitizer/async.h"
#include "simt/executor/lanes.h"

#include <string.h>

/* arrive at the cluster's barrier, and wait */
void run_cluster_arrive(struct Warp *w, const struct Instruction *i,
                        uint32_t on)
{
    struct Cluster *c = w->block->cluster;
    (void)i;
    if (c->launch->workspace)
        launch_fault(w, FAULT_INSTRUCTION, "barrier.cluster: a cooperative "
                     "grid of the software GPU has no clusters");
    c->arrived += (unsigned)__builtin_popcount(on);
    c->moved++;
    if (c->launch->check)
        check_cluster_arrive(w);
    for (int l = 0; l < LANES; l++)
        if (on >> l & 1)
            w->cluster_phase[l] = c->phase;
}

void run_cluster_wait(struct Warp *w, const struct Instruction *i,
                      uint32_t on)
{
    uint32_t phase = w->block->cluster->phase;
    (void)i;
    for (uint32_t m = on; m; m &= m - 1)
        if (w->cluster_phase[__builtin_ctz(m)] == phase) {
            w->next = w->pc;
            w->waits.block = NULL;
            warp_waits(w);
            return;
        }
    if (on && w->block->launch->check)
        check_cluster_waited(w);
}

void run_proxy_fence(struct Warp *w, const struct Instruction *i,
                     uint32_t on)
{
    (void)i;
    if (w->block->launch->check)
        check_proxy_fence(w, on);
}

/* name another block's memory */
static uint64_t with_rank(struct Warp *w, const struct Instruction *i,
                          uint64_t a, uint32_t rank)
{
    uint64_t low = ((uint64_t)1 << RANK_SHIFT) - 1;
    uint64_t window = i->size == 8 ? a & ~(((uint64_t)1 << 32) - 1) : 0;
    if (rank >= (uint32_t)w->block->cluster->n ||
        w->block->launch->workspace)
        launch_fault(w, FAULT_ILLEGAL_ADDRESS, "mapa of block %u of a "
                     "cluster of %d", rank, w->block->cluster->n);
    return window | (uint64_t)(rank + 1) << RANK_SHIFT | (a & low);
}

void run_mapa(struct Warp *w, const struct Instruction *i, uint32_t on)
{
    for (uint32_t m = on; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        uint32_t rank = w->file[i->b[0] + (unsigned)l];
        if (i->size == 8)
            REGISTER(w, i->d[0], slot8)[l] = with_rank(w, i,
                REGISTER(w, i->a[0], const slot8)[l], rank);
        else
            w->file[i->d[0] + (unsigned)l] = (uint32_t)with_rank(w, i,
                w->file[i->a[0] + (unsigned)l], rank);
    }
}

void run_getctarank(struct Warp *w, const struct Instruction *i,
                    uint32_t on)
{
    for (uint32_t m = on; m; m &= m - 1) {
        int l = __builtin_ctz(m);
        uint64_t a = i->size == 8 ? REGISTER(w, i->a[0], const slot8)[l]
                                  : w->file[i->a[0] + (unsigned)l];
        uint32_t rank = (uint32_t)a >> RANK_SHIFT;
        w->file[i->d[0] + (unsigned)l] = rank ? rank - 1 : w->block->rank;
    }
}
