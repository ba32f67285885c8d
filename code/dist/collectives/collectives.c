/* Tangled from chapters/workshop/exchange.nw, "The collectives, outlined".  Edit it there. */

#include "dist/collectives/collectives.h"

#include <stdlib.h>
#include <string.h>

/* cut an array into chunks */
struct Chunk chunk_of(size_t n, int parts, int i)
{
    i = (i % parts + parts) % parts;
    const size_t at = n * (size_t)i / (size_t)parts;
    return (struct Chunk){ at, n * (size_t)(i + 1) / (size_t)parts - at };
}


/* small helpers of the collectives */
/* exchange, in floats */
static bool swap(struct World *w, int to, const float *out, size_t n_out,
                 int from, float *in, size_t n_in, struct Error *e)
{
    return exchange(w, to, out, n_out * sizeof *out, from, in,
                    n_in * sizeof *in, e);
}

static void add(float *x, const float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] += y[i];
}


/* Room for n floats, which stays until the rank ends; or NULL. */
static float *scratch(struct World *w, size_t n, struct Error *e)
{
    if (n > w->room) {
        float *more = realloc(w->scratch, n * sizeof *more);
        if (!more) {
            error_set(e, "no memory for %zu floats", n);
            return NULL;
        }
        w->scratch = more;
        w->room = n;
    }
    return w->scratch ? w->scratch : (float *)w->sent;
}

static void after_step(struct World *w, const float *x, size_t n)
{
    if (w->after_step)
        w->after_step(w, x, n);
}

static int wrap(const struct World *w, int rank)
{
    return (rank % w->size + w->size) % w->size;
}


/* reduce-scatter on a ring */
/* Ranks first, first + stride, ...; this rank is number `place`. */
struct Ring { int first, stride, size, place; };

static struct Ring all_ranks(const struct World *w)
{
    return (struct Ring){ 0, 1, w->size, w->rank };
}

static int member(const struct Ring *g, int i)
{
    return g->first + (i + g->size) % g->size * g->stride;
}


static bool scatter_on(struct World *w, const struct Ring *g, float *x,
                       size_t n, struct Error *e)
{
    const int P = g->size, r = g->place;
    const int next = member(g, r + 1), before = member(g, r - 1);
    float *came = scratch(w, chunk_of(n, P, P - 1).n, e);
    for (int s = 0; came && s < P - 1; s++) {
        const struct Chunk out = chunk_of(n, P, r - s - 1);
        const struct Chunk in = chunk_of(n, P, r - s - 2);
        if (!swap(w, next, x + out.at, out.n, before, came, in.n, e))
            return false;
        add(x + in.at, came, in.n);
        after_step(w, x, n);
    }
    return came != NULL;
}

bool reduce_scatter_ring(struct World *w, float *x, size_t n,
                         struct Error *e)
{
    const struct Ring all = all_ranks(w);
    return scatter_on(w, &all, x, n, e);
}


/* all-gather on a ring */
static bool gather_on(struct World *w, const struct Ring *g, float *x,
                      size_t n, struct Error *e)
{
    const int P = g->size, r = g->place;
    const int next = member(g, r + 1), before = member(g, r - 1);
    for (int s = 0; s < P - 1; s++) {
        const struct Chunk out = chunk_of(n, P, r - s);
        const struct Chunk in = chunk_of(n, P, r - s - 1);
        if (!swap(w, next, x + out.at, out.n, before, x + in.at, in.n, e))
            return false;
        after_step(w, x, n);
    }
    return true;
}

bool all_gather_ring(struct World *w, float *x, size_t n, struct Error *e)
{
    const struct Ring all = all_ranks(w);
    return gather_on(w, &all, x, n, e);
}


/* all-reduce on a ring */
bool all_reduce_ring(struct World *w, float *x, size_t n, struct Error *e)
{
    return reduce_scatter_ring(w, x, n, e) && all_gather_ring(w, x, n, e);
}


/* broadcast: one message to each */
bool broadcast_flat(struct World *w, float *x, size_t n, int root,
                    struct Error *e)
{
    if (w->rank != root)
        return swap(w, NOBODY, NULL, 0, root, x, n, e);
    for (int s = 1; s < w->size; s++)
        if (!swap(w, wrap(w, root + s), x, n, NOBODY, NULL, 0, e))
            return false;
    return true;
}


/* broadcast by a tree */
bool broadcast_tree(struct World *w, float *x, size_t n, int root,
                    struct Error *e)
{
    const int v = wrap(w, w->rank - root);      /* the root is 0 */
    int d = 1;
    while (d < w->size)
        d *= 2;
    for (d /= 2; d > 0; d /= 2) {
        bool ok = true;
        if (v % (2 * d) == 0 && v + d < w->size)
            ok = swap(w, wrap(w, w->rank + d), x, n, NOBODY, NULL, 0, e);
        else if (v % (2 * d) == d)
            ok = swap(w, NOBODY, NULL, 0, wrap(w, w->rank - d), x, n, e);
        if (!ok)
            return false;
        after_step(w, x, n);
    }
    return true;
}


/* broadcast through a chain */
bool broadcast_chain(struct World *w, float *x, size_t n, int root,
                     int pieces, struct Error *e)
{
    const int v = wrap(w, w->rank - root);
    const int to = v == w->size - 1 ? NOBODY : wrap(w, w->rank + 1);
    const int from = v == 0 ? NOBODY : wrap(w, w->rank - 1);
    for (int i = 0; i <= pieces; i++) {     /* send i - 1, receive i */
        const struct Chunk out = chunk_of(n, pieces, i - 1);
        const struct Chunk in = chunk_of(n, pieces, i);
        if (!swap(w, i > 0 ? to : NOBODY, x + out.at, out.n,
                  i < pieces ? from : NOBODY, x + in.at, in.n, e))
            return false;
        after_step(w, x, n);
    }
    return true;
}


/* all-reduce by a tree */
bool all_reduce_tree(struct World *w, float *x, size_t n, struct Error *e)
{
    float *came = scratch(w, n, e);
    if (!came)
        return false;
    for (int d = 1; d < w->size; d *= 2) {
        if (w->rank % (2 * d) == d) {
            if (!swap(w, w->rank - d, x, n, NOBODY, NULL, 0, e))
                return false;
            break;                          /* its sum is above now */
        }
        if (w->rank + d < w->size) {
            if (!swap(w, NOBODY, NULL, 0, w->rank + d, came, n, e))
                return false;
            add(x, came, n);
        }
    }
    return broadcast_tree(w, x, n, 0, e);
}


/* which ranks are active */
/* The largest power of two that is not above the number of ranks. */
static int power_below(int ranks)
{
    int p = 1;
    while (2 * p <= ranks)
        p *= 2;
    return p;
}

/* The number of a rank among the active ones, or NOBODY; and back. */
static int active_of(int rank, int extra)
{
    if (rank >= 2 * extra)
        return rank - extra;
    return rank % 2 ? NOBODY : rank / 2;
}

static int rank_of(int active, int extra)
{
    return active < extra ? 2 * active : active + extra;
}


/* fold the ranks that are too many */
static bool fold(struct World *w, float *x, float *came, size_t n,
                 int extra, struct Error *e)
{
    if (w->rank >= 2 * extra)
        return true;
    if (w->rank % 2)
        return swap(w, w->rank - 1, x, n, NOBODY, NULL, 0, e);
    if (!swap(w, NOBODY, NULL, 0, w->rank + 1, came, n, e))
        return false;
    add(x, came, n);
    return true;
}

static bool unfold(struct World *w, float *x, size_t n, int extra,
                   struct Error *e)
{
    if (w->rank >= 2 * extra)
        return true;
    if (w->rank % 2)
        return swap(w, NOBODY, NULL, 0, w->rank - 1, x, n, e);
    return swap(w, w->rank + 1, x, n, NOBODY, NULL, 0, e);
}


/* all-reduce by recursive doubling */
bool all_reduce_doubling(struct World *w, float *x, size_t n,
                         struct Error *e)
{
    const int p = power_below(w->size), extra = w->size - p;
    const int a = active_of(w->rank, extra);
    float *came = scratch(w, n, e);
    if (!came || !fold(w, x, came, n, extra, e))
        return false;
    for (int d = 1; a != NOBODY && d < p; d *= 2) {
        const int other = rank_of(a ^ d, extra);
        if (!swap(w, other, x, n, other, came, n, e))
            return false;
        add(x, came, n);
        after_step(w, x, n);
    }
    return unfold(w, x, n, extra, e);
}


/* all-reduce by recursive halving */
/* Chunks k d .. k d + d - 1 of p. */
static struct Chunk block_of(size_t n, int p, int d, int k)
{
    const size_t at = n * (size_t)(k * d) / (size_t)p;
    return (struct Chunk){ at, n * (size_t)(k * d + d) / (size_t)p - at };
}

static bool halve_and_double(struct World *w, float *x, float *came,
                             size_t n, int p, int extra, struct Error *e)
{
    const int a = active_of(w->rank, extra);
    for (int d = p / 2; d > 0; d /= 2) {
        const int other = rank_of(a ^ d, extra);
        const struct Chunk out = block_of(n, p, d, (a ^ d) / d);
        const struct Chunk in = block_of(n, p, d, a / d);
        if (!swap(w, other, x + out.at, out.n, other, came, in.n, e))
            return false;
        add(x + in.at, came, in.n);
        after_step(w, x, n);
    }
    for (int d = 1; d < p; d *= 2) {
        const int other = rank_of(a ^ d, extra);
        const struct Chunk out = block_of(n, p, d, a / d);
        const struct Chunk in = block_of(n, p, d, (a ^ d) / d);
        if (!swap(w, other, x + out.at, out.n, other, x + in.at, in.n, e))
            return false;
        after_step(w, x, n);
    }
    return true;
}


bool all_reduce_halving(struct World *w, float *x, size_t n,
                        struct Error *e)
{
    const int p = power_below(w->size), extra = w->size - p;
    float *came = scratch(w, n, e);
    if (!came || !fold(w, x, came, n, extra, e))
        return false;
    if (active_of(w->rank, extra) != NOBODY &&
        !halve_and_double(w, x, came, n, p, extra, e))
        return false;
    return unfold(w, x, n, extra, e);
}


/* all-reduce over hosts */
bool all_reduce_hosts(struct World *w, float *x, size_t n, int per_host,
                      struct Error *e)
{
    const int k = per_host, here = w->rank % k, host = w->rank / k;
    const struct Ring near = { host * k, 1, k, here };
    const struct Ring far = { here, k, w->size / k, host };
    const struct Chunk own = chunk_of(n, k, here);
    return scatter_on(w, &near, x, n, e)
        && scatter_on(w, &far, x + own.at, own.n, e)
        && gather_on(w, &far, x + own.at, own.n, e)
        && gather_on(w, &near, x, n, e);
}


/* reduce-scatter in the order of the ranks */
bool reduce_scatter_direct(struct World *w, float *x, size_t n,
                           struct Error *e)
{
    const int P = w->size, r = w->rank;
    const struct Chunk mine = chunk_of(n, P, r);
    float *came = scratch(w, (size_t)P * mine.n, e);
    if (!came)
        return false;
    for (int s = 1; s < P; s++) {
        const int to = wrap(w, r + s), from = wrap(w, r - s);
        const struct Chunk out = chunk_of(n, P, to);
        if (!swap(w, to, x + out.at, out.n, from,
                  came + (size_t)from * mine.n, mine.n, e))
            return false;
    }
    /* add what came in the order of the ranks */
    float *own = came + (size_t)r * mine.n;
    if (mine.n)
        memcpy(own, x + mine.at, mine.n * sizeof *x);
    if (mine.n)
        memcpy(x + mine.at, came, mine.n * sizeof *x);
    for (int q = 1; q < P; q++)
        add(x + mine.at, came + (size_t)q * mine.n, mine.n);
    after_step(w, x, n);
    return true;
}


/* all-reduce in the order of the ranks */
bool all_reduce_direct(struct World *w, float *x, size_t n, struct Error *e)
{
    return reduce_scatter_direct(w, x, n, e) && all_gather_ring(w, x, n, e);
}


/* all-to-all in pairs */
bool all_to_all(struct World *w, float *to, const float *from, size_t n,
                struct Error *e)
{
    const size_t r = (size_t)w->rank;
    if (n)
        memcpy(to + r * n, from + r * n, n * sizeof *to);
    for (int s = 1; s < w->size; s++) {
        const int out = wrap(w, w->rank + s), in = wrap(w, w->rank - s);
        if (!swap(w, out, from + (size_t)out * n, n, in,
                  to + (size_t)in * n, n, e))
            return false;
        after_step(w, to, n * (size_t)w->size);
    }
    return true;
}


/* a barrier */
bool barrier(struct World *w, struct Error *e)
{
    for (int d = 1; d < w->size; d *= 2)
        if (!swap(w, wrap(w, w->rank + d), NULL, 0, wrap(w, w->rank - d),
                  NULL, 0, e))
            return false;
    return true;
}
