/* Tangled from chapters/workshop/ranks.nw, "The interface".  Edit it there. */

#include "dist/dist.h"

#include "backend/backend.h"
#include "dist/hub.h"

#include <string.h>

/* hand a collective on */
/* An array of `bytes` a rank of the world, to or from all others. */
static void count(struct Dist *d, int times, size_t bytes)
{
    d->sent += (size_t)times * ((size_t)d->world - 1) * bytes;
}

void dist_all_reduce(struct Dist *d, real *p, size_t n)
{
    count(d, 2, n * sizeof *p / (size_t)d->world);
    d->calls->all_reduce(d, p, n);
}

void dist_reduce_scatter(struct Dist *d, real *part, const real *p,
                         size_t n)
{
    count(d, 1, n * sizeof *p);
    d->calls->reduce_scatter(d, part, p, n);
}

void dist_all_gather(struct Dist *d, void *p, size_t bytes)
{
    count(d, 1, bytes);
    d->calls->all_gather(d, p, bytes);
}

void dist_all_to_all(struct Dist *d, void *to, const void *from,
                     size_t bytes)
{
    count(d, 1, bytes);
    d->calls->all_to_all(d, to, from, bytes);
}

void dist_join(struct Dist *d)
{
    d->calls->join(d);
}

bool dist_wait(struct Dist *d, struct Error *e)
{
    return d->calls->wait(d, e);
}


bool dist_exchange(struct Dist *d, void *all, const void *mine,
                   size_t bytes, struct Error *e)
{
    if (d->hub)
        return hub_exchange(d->hub, all, mine, bytes, e);
    memcpy(all, mine, bytes);
    return true;
}


/* the collectives of one process */
static bool one_open(struct Dist *d, struct Error *e)
{
    (void)d, (void)e;
    return true;
}

static void one_nothing(struct Dist *d)
{
    (void)d;
}

static void one_sum(struct Dist *d, real *p, size_t n)
{
    (void)d, (void)p, (void)n;
}

static void one_scatter(struct Dist *d, real *part, const real *p, size_t n)
{
    (void)d;
    if (part != p)
        backend_copy(part, p, n * sizeof *p);
}


static void one_gather(struct Dist *d, void *p, size_t bytes)
{
    (void)d, (void)p, (void)bytes;
}

static void one_to_one(struct Dist *d, void *to, const void *from,
                       size_t bytes)
{
    (void)d;
    backend_copy(to, from, bytes);
}

static bool one_wait(struct Dist *d, struct Error *e)
{
    (void)d, (void)e;
    backend_wait();
    return true;
}

const struct DistCalls dist_one = {
    .name = "one process", .overlaps = true, .open = one_open,
    .close = one_nothing, .all_reduce = one_sum,
    .reduce_scatter = one_scatter, .all_gather = one_gather,
    .all_to_all = one_to_one, .join = one_nothing, .wait = one_wait,
};


/* choose the collectives of a rank */
void dist_alone(struct Dist *d)
{
    *d = (struct Dist){ .calls = &dist_one, .world = 1 };
}

static const struct DistCalls *calls_here(void)
{
    return backend_kind() == BACKEND_CUDA && &dist_nccl ? &dist_nccl
                                                        : &dist_host;
}

bool dist_open(struct Dist *d, struct Hub *hub, struct Error *e)
{
    *d = (struct Dist){ .rank = hub->rank, .world = hub->world,
                        .hub = hub, .calls = calls_here() };
    return d->calls->open(d, e);
}

void dist_abort(struct Dist *d)
{
    if (d->calls && d->calls->abort)
        d->calls->abort(d);
}

void dist_close(struct Dist *d)
{
    if (d->calls)
        d->calls->close(d);
    *d = (struct Dist){ 0 };
}
