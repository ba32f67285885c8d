/* Tangled from chapters/workshop/ranks.nw, "The interface".  Edit it there. */

/* dist.h: what the processes of a run say to each other.  A rank is one
 * process with one backend; ranks are numbered from 0 to world - 1. */
#ifndef DIST_DIST_H
#define DIST_DIST_H

#include "base/error.h"
#include "base/real.h"

#include <stddef.h>

C_FUNCTIONS_BEGIN

/* `struct Dist`: a rank */
struct Hub;                         /* dist/hub.h */
struct DistCalls;

struct Dist {
    const struct DistCalls *calls;
    int rank, world;
    struct Hub *hub;                /* NULL where world is 1 */
    void *state;                    /* of its kind */
    size_t sent;                    /* bytes, see below */
};


/* declare the collectives */
/* Collectives on backend memory.  Every rank asks for the same ones in the
 * same order.  They begin when all is done that the backend was asked for
 * before, may run beside what it is asked for next, and are in the order
 * of the calls; what follows dist_join finds them done.  A failure is one
 * of the backend (backend_ok). */

/* p[i] = the sum over all ranks, for n numbers. */
void dist_all_reduce(struct Dist *d, real *p, size_t n);

/* part[i] = the sum over all ranks of p[rank n + i], n numbers of the
 * world n at p; part may be p + rank n. */
void dist_reduce_scatter(struct Dist *d, real *part, const real *p,
                         size_t n);

/* Rank r's bytes at p + r bytes go there in every rank. */
void dist_all_gather(struct Dist *d, void *p, size_t bytes);

/* to[r] = the part [rank] of rank r's `from`; each part has `bytes`. */
void dist_all_to_all(struct Dist *d, void *to, const void *from,
                     size_t bytes);

void dist_join(struct Dist *d);


/* declare what ranks tell each other */
/* Wait until the backend has done all it was asked for.  False, with the
 * rank and the cause, if another rank is gone or the time-out is over. */
bool dist_wait(struct Dist *d, struct Error *e);

/* all[r] = what rank r has at mine: `bytes` of host memory, exchanged at
 * once.  False, with the rank and the cause, as in dist_wait. */
bool dist_exchange(struct Dist *d, void *all, const void *mine,
                   size_t bytes, struct Error *e);

/* One rank alone. */
void dist_alone(struct Dist *d);

/* Make a rank of the processes that a hub connects, on the current
 * backend.  The hub stays the caller's. */
bool dist_open(struct Dist *d, struct Hub *hub, struct Error *e);
void dist_close(struct Dist *d);

/* End collectives that wait for a rank that is gone.  Nothing but
 * dist_close may follow. */
void dist_abort(struct Dist *d);


/* `struct DistCalls` */
struct DistCalls {
    const char *name;
    bool overlaps;                  /* may be part of a recording */
    bool (*open)(struct Dist *d, struct Error *e);
    void (*close)(struct Dist *d);
    void (*all_reduce)(struct Dist *d, real *p, size_t n);
    void (*reduce_scatter)(struct Dist *d, real *part, const real *p,
                           size_t n);
    void (*all_gather)(struct Dist *d, void *p, size_t bytes);
    void (*all_to_all)(struct Dist *d, void *to, const void *from,
                       size_t bytes);
    void (*join)(struct Dist *d);
    bool (*wait)(struct Dist *d, struct Error *e);
    void (*abort)(struct Dist *d);      /* NULL: nothing waits */
};

/* One process; processes over their hub, on any backend; NCCL, which only
 * the programs for a real GPU have. */
extern const struct DistCalls dist_one, dist_host;
extern const struct DistCalls dist_nccl __attribute__((weak));

C_FUNCTIONS_END

#endif
