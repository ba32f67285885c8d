/* Tangled from chapters/workshop/ranks.nw, "Collectives without NCCL".  Edit it there. */

/* Collectives of processes over their hub: all arrays go through rank 0,
 * and each rank adds them in the order of the ranks.  Slow, and the same
 * on every backend. */
#include "dist/dist.h"

#include "backend/backend.h"
#include "dist/hub.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 20 };           /* numbers that travel at a time */

/* exchange a piece of all ranks */
static bool host_open(struct Dist *d, struct Error *e)
{
    d->state = malloc((size_t)d->world * PIECE * sizeof(real));
    return d->state || error_set(e, "no memory for a buffer of %d ranks",
                                 d->world);
}

static void host_close(struct Dist *d)
{
    free(d->state);
}

/* bytes at p, of this rank, become all[r] of every rank r */
static const char *share(struct Dist *d, const void *p, size_t bytes)
{
    struct Error e;
    if (!backend_ok(NULL))
        return NULL;
    if (hub_exchange(d->hub, d->state, p, bytes, &e))
        return d->state;
    backend_failed("%s", e.text);
    return NULL;
}


/* add arrays in the order of the ranks */
static void add_up(real *to, const char *all, size_t stride, int world,
                   size_t n)
{
    memcpy(to, all, n * sizeof *to);
    for (int r = 1; r < world; r++) {
        const real *x = (const real *)(all + (size_t)r * stride);
        for (size_t i = 0; i < n; i++)
            to[i] += x[i];
    }
}


/* reduce through the hub */
static void host_all_reduce(struct Dist *d, real *p, size_t n)
{
    real *host = backend_borrow(p, n * sizeof *p);
    for (size_t at = 0; host && at < n; at += PIECE) {
        const size_t count = n - at < PIECE ? n - at : PIECE;
        const char *all = share(d, host + at, count * sizeof *p);
        if (all)
            add_up(host + at, all, count * sizeof *p, d->world, count);
    }
    backend_return(p, host, n * sizeof *p, true);
}


static void host_reduce_scatter(struct Dist *d, real *part, const real *p,
                                size_t n)
{
    const size_t world = (size_t)d->world, step = PIECE / world;
    const size_t bytes = world * n * sizeof *p;
    real *host = backend_borrow(p, bytes);
    real *sum = malloc(n * sizeof *sum), *mine = malloc(world * step
                                                        * sizeof *mine);
    if (!sum || !mine)
        backend_failed("no memory for %zu sums", n);
    for (size_t at = 0; host && sum && mine && at < n; at += step) {
        const size_t count = n - at < step ? n - at : step;
        for (size_t r = 0; r < world; r++)
            memcpy(mine + r * count, host + r * n + at,
                   count * sizeof *mine);
        const char *all = share(d, mine, world * count * sizeof *mine);
        if (all)
            add_up(sum + at, all + (size_t)d->rank * count * sizeof *sum,
                   world * count * sizeof *sum, d->world, count);
    }
    backend_return(NULL, host, bytes, false);
    if (backend_ok(NULL))
        backend_put(part, sum, n * sizeof *sum);
    free(sum), free(mine);
}


/* gather through the hub */
static void host_all_gather(struct Dist *d, void *p, size_t bytes)
{
    const size_t step = PIECE * sizeof(real), world = (size_t)d->world;
    char *mine = backend_borrow((char *)p + (size_t)d->rank * bytes,
                                bytes);
    char *host = backend_borrow_blank(p, world * bytes);
    for (size_t at = 0; mine && host && at < bytes; at += step) {
        const size_t count = bytes - at < step ? bytes - at : step;
        const char *all = share(d, mine + at, count);
        for (size_t r = 0; all && r < world; r++)
            memcpy(host + r * bytes + at, all + r * count, count);
    }
    backend_return(NULL, mine, bytes, false);
    backend_return(p, host, world * bytes, true);
}


static void host_all_to_all(struct Dist *d, void *to, const void *from,
                            size_t bytes)
{
    const size_t world = (size_t)d->world;
    const size_t step = PIECE * sizeof(real) / world;
    char *in = backend_borrow(from, world * bytes);
    char *out = backend_borrow_blank(to, world * bytes);
    char *mine = malloc(world * step);
    if (!mine)
        backend_failed("no memory for %zu bytes", world * step);
    for (size_t at = 0; in && out && mine && at < bytes; at += step) {
        const size_t count = bytes - at < step ? bytes - at : step;
        for (size_t r = 0; r < world; r++)
            memcpy(mine + r * count, in + r * bytes + at, count);
        const char *all = share(d, mine, world * count);
        for (size_t r = 0; all && r < world; r++)
            memcpy(out + r * bytes + at,
                   all + (r * world + (size_t)d->rank) * count, count);
    }
    free(mine);
    backend_return(NULL, in, world * bytes, false);
    backend_return(to, out, world * bytes, true);
}


/* the table of the collectives through the hub */
static void host_join(struct Dist *d)
{
    (void)d;
}

static bool host_wait(struct Dist *d, struct Error *e)
{
    (void)d;
    backend_wait();
    return backend_ok(e);
}

const struct DistCalls dist_host = {
    .name = "processes", .open = host_open, .close = host_close,
    .all_reduce = host_all_reduce, .reduce_scatter = host_reduce_scatter,
    .all_gather = host_all_gather, .all_to_all = host_all_to_all,
    .join = host_join, .wait = host_wait,
};
