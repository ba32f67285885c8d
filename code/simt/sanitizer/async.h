/* Tangled from chapters/workshop/simt-hopper.nw, "The sanitizer and the asynchronous proxy".  Edit it there. */

/* What the sanitizer wants to know of mbarriers and bulk copies. */
#ifndef SIMT_SANITIZER_ASYNC_H
#define SIMT_SANITIZER_ASYNC_H

#include "simt/executor/hopper.h"

/* questions about mbarriers */
/* A lane is about to arrive at a barrier of its own or another block;
 * surplus: the phase needs no more arrivals. */
void check_arrive(struct Warp *, int lane, const struct Block *,
                  uint32_t at, bool surplus);
void check_phase(const struct Block *, uint32_t at);    /* it is over    */
/* These lanes have found their phases over. */
void check_waited(struct Warp *, const uint64_t *address, bool generic,
                  uint32_t lanes);
/* The barrier's bytes are used, or written by init and inval; returns the
 * lanes that go on. */
uint32_t check_mbarrier(struct Warp *, const uint64_t *address,
                        bool generic, uint32_t lanes, bool write);
void check_mbarrier_init(struct Warp *, int lane, uint32_t at,
                         uint32_t count, bool live);
/* The moment of an init, and: does a lane that waits know of it? */
uint32_t check_mbarrier_made(struct Warp *, int lane, const struct Block *);
void check_mbarrier_known(struct Warp *, int lane, const struct Block *,
                          uint32_t at);
void check_proxy_fence(struct Warp *, uint32_t lanes);

/* questions about bulk copies */
void check_copy_begins(const struct BulkCopy *);
/* Its bytes have come; phase: that of its barrier now. */
void check_copy_came(const struct BulkCopy *, const struct Block *,
                     uint32_t phase);
void check_copy_read(const struct BulkCopy *);  /* its source            */
void check_copy_wrote(const struct BulkCopy *); /* to global memory      */
void check_copy_left(const struct BulkCopy *);  /* the block has ended   */

/* questions about clusters */
void check_block_turn(const struct Block *);    /* of a cluster          */
/* A warp arrives at the cluster's barrier, all have, a warp goes on. */
void check_cluster_arrive(const struct Warp *);
void check_cluster_barrier(const struct Cluster *);
void check_cluster_waited(const struct Warp *);
/* A warp goes to the shared memory of another block of its cluster. */
void check_remote(struct Warp *, const struct Access *,
                  const struct Block *);

#endif
