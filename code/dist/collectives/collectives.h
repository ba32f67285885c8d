/* Tangled from chapters/workshop/exchange.nw, "The collectives, outlined".  Edit it there. */

/* collectives.h: what ranks do together with arrays of floats.  All ranks
 * call the same function with the same n.  True, or false with a message
 * that names the rank that failed. */
#ifndef DIST_COLLECTIVES_COLLECTIVES_H
#define DIST_COLLECTIVES_COLLECTIVES_H

#include "dist/collectives/world.h"

/* a chunk of an array */
/* Elements at .. at + n - 1 of an array that is cut into `parts` chunks
 * whose sizes differ by one at most.  i is taken modulo parts. */
struct Chunk { size_t at, n; };
struct Chunk chunk_of(size_t n, int parts, int i);


/* declare the collectives of floats */
/* x of the root becomes x of all. */
bool broadcast_flat(struct World *w, float *x, size_t n, int root,
                    struct Error *e);
bool broadcast_tree(struct World *w, float *x, size_t n, int root,
                    struct Error *e);
bool broadcast_chain(struct World *w, float *x, size_t n, int root,
                     int pieces, struct Error *e);

/* Rank r keeps chunk r of the sum over all ranks; the rest of its x is
 * overwritten.  The second adds in the order of the ranks. */
bool reduce_scatter_ring(struct World *w, float *x, size_t n,
                         struct Error *e);
bool reduce_scatter_direct(struct World *w, float *x, size_t n,
                           struct Error *e);

/* Chunk r of rank r becomes chunk r of all. */
bool all_gather_ring(struct World *w, float *x, size_t n, struct Error *e);

/* The sum over all ranks becomes x of all, with the same bits in all. */
bool all_reduce_ring(struct World *w, float *x, size_t n, struct Error *e);
bool all_reduce_tree(struct World *w, float *x, size_t n, struct Error *e);
bool all_reduce_doubling(struct World *w, float *x, size_t n,
                         struct Error *e);
bool all_reduce_halving(struct World *w, float *x, size_t n,
                        struct Error *e);
bool all_reduce_direct(struct World *w, float *x, size_t n,
                       struct Error *e);

/* The same, first on each host, then between hosts: rank r is on host
 * r / per_host, and per_host divides the number of ranks. */
bool all_reduce_hosts(struct World *w, float *x, size_t n, int per_host,
                      struct Error *e);

/* from[q] of rank r becomes to[r] of rank q; both are [size][n] and may not
 * overlap. */
bool all_to_all(struct World *w, float *to, const float *from, size_t n,
                struct Error *e);

/* Nobody returns before all have called. */
bool barrier(struct World *w, struct Error *e);
#endif
