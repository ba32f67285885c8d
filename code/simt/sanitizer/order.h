/* Tangled from chapters/workshop/simt-sanitizer.nw, "Three files".  Edit it there. */

#ifndef SIMT_SANITIZER_ORDER_H
#define SIMT_SANITIZER_ORDER_H

#include "simt/sanitizer/shadow.h"
#include "simt/simt.h"

/* Which accesses are over when another begins?  The machine runs one block
 * after another, and in a block one warp after another from barrier to
 * barrier; this part gives every strand its number and remembers whose it
 * is. */

/* The present, for words in global and in shared memory. */
extern struct Now now_global, now_shared;

/* what order.c does */
/* Something begins.  False: the numbers have run out, and all shadows must
 * be cleared before order_restart. */
bool order_launch(void);
bool order_block(uint64_t linear);
void order_restart(void);
extern bool order_lost;         /* one block used up all numbers         */
void order_barrier(void);
void order_sync(const struct Warp *, uint32_t lanes);   /* __syncwarp    */

/* It is the turn of this warp. */
void order_turn_to(const struct Warp *);
extern const struct Warp *order_warp;
static inline void order_turn(const struct Warp *w)
{
    if (order_warp != w)
        order_turn_to(w);
}

/* questions to order.c */
/* A __threadfence; an atomic operation at this address. */
/* A fence by these lanes; for the device, or the block only. */
void order_fence(const struct Warp *, uint32_t lanes, bool device);
/* A lane touches this address so that other threads see it: it may learn
 * what they have published there, and publishes what it did before its
 * fence.  Shared memory: SHARED_WINDOW + offset. */
void order_atomic(const struct Warp *, int lane, uint64_t address,
                  bool reads, bool writes);
/* Has a thread of the running block published something there? */
bool order_published(uint64_t address);
/* Does the lane know what the thread of x has published last? */
bool order_passed_on(Stamp x, int lane, const struct Now *);

/* order.h: arrivals and waits */
/* A lane arrives at the mbarrier at this address, or has waited for it; a
 * phase of it is over; a copy writes, and counts on it. */
enum { PROXY = MAX_WARPS };     /* the number of the copies' warp        */
void order_arrive(const struct Warp *, int lane, uint64_t address);
void order_wait(const struct Warp *, int lane, uint64_t address);
void order_phase(uint64_t address);
void order_copy(void);
void order_copy_came(uint64_t address);
Stamp order_split(const struct Warp *); /* a new strand of its own       */
/* A warp comes to barrier id of a part of the block; all have come; it goes
 * on. */
void order_part_arrive(const struct Warp *, int id);
void order_part_phase(int id);
void order_part_wait(const struct Warp *, int id);

/* Does the lane know what any thread of the warpgroup of x has done since
 * x? */
bool order_over_group(Stamp x, int lane);

/* over() was not sure whether access x is over for a lane of the warp whose
 * turn it is, or for all its lanes: several.  This is. */
bool order_over(Stamp x, int lane, bool several, const struct Now *);

/* Whose stamp is it?  Both of the running launch. */
int warp_of(Stamp x);
uint64_t block_of(Stamp x);

#endif
