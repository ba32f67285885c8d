/* Tangled from chapters/workshop/simt-hopper.nw, "Races between blocks".  Edit it there. */

/* Races in shared memory between the blocks of a cluster. */
#ifndef SIMT_SANITIZER_BLOCKS_H
#define SIMT_SANITIZER_BLOCKS_H

#include "simt/executor/hopper.h"

extern bool blocks_watched;     /* several, and races are looked for     */

/* A cluster begins; n <= 1: there are no others to watch. */
void blocks_begin(const struct Launch *, uint32_t n);
/* What a block has done is known to those who wait for `key`: an mbarrier,
 * an address, or the cluster's barrier; a phase of it is over; a block has
 * waited for it. */
enum { CLUSTER_BARRIER = 1 };
static inline uint64_t blocks_key(uint32_t rank, uint32_t at)
{
    return (uint64_t)(rank + 1) << 56 | at;
}
void blocks_release(uint64_t key, uint32_t rank);
void blocks_phase(uint64_t key);
void blocks_acquire(uint64_t key, uint32_t rank);
/* These lanes read or write bytes of the shared memory of a block. */
void blocks_touch(const struct Warp *, uint32_t lanes, uint32_t owner,
                  uint32_t at, uint32_t bytes, bool write);
/* All of an access; owner: the block whose shared memory it is. */
void blocks_access(const struct Warp *, const struct Access *,
                   uint32_t on, uint32_t owner);

#endif
