/* Tangled from chapters/workshop/exchange.nw, "The formulas".  Edit it there. */

#include "dist/collectives/cost.h"

#include <stdlib.h>
#include <string.h>

double cost_seconds(struct Cost c, struct Link link)
{
    return c.messages * link.alpha_s + c.bytes * link.beta_s;
}

double hosts_seconds(int P, int per_host, double bytes,
                     const struct Links *links)
{
    const double k = per_host, hosts = P / k;
    const struct Cost near = { 2 * (k - 1), 2 * (k - 1) * bytes / k };
    const struct Cost far = { 2 * (hosts - 1),
                              2 * (hosts - 1) * bytes / k / hosts };
    return cost_seconds(near, links->near) + cost_seconds(far, links->far);
}

/* helpers of the formulas */
static void sends(struct Sent *link, int P, int from, int to,
                  uint64_t messages, size_t floats)
{
    struct Sent *l = &link[from * P + (to % P + P) % P];
    l->messages += messages;
    l->bytes += floats * sizeof(float);
}

static size_t part(size_t n, int P, int i) { return chunk_of(n, P, i).n; }

static double levels(int P)         /* the logarithm, rounded up */
{
    double k = 0;
    for (int p = 1; p < P; p *= 2)
        k++;
    return k;
}


/* the formulas of a ring */
static struct Cost ring_once_cost(int P, double bytes)
{
    return (struct Cost){ P - 1, (P - 1) * bytes / P };
}

static struct Cost ring_cost(int P, double bytes)
{
    return (struct Cost){ 2.0 * (P - 1), 2 * (P - 1) * bytes / P };
}

static void scatter_links(struct Sent *link, int P, size_t n)
{
    for (int r = 0; r < P && P > 1; r++)
        sends(link, P, r, r + 1, (uint64_t)P - 1, n - part(n, P, r));
}

static void gather_links(struct Sent *link, int P, size_t n)
{
    for (int r = 0; r < P && P > 1; r++)
        sends(link, P, r, r + 1, (uint64_t)P - 1, n - part(n, P, r + 1));
}

static void ring_links(struct Sent *link, int P, size_t n)
{
    scatter_links(link, P, n);
    gather_links(link, P, n);
}


/* the formulas of broadcasts */
static struct Cost flat_cost(int P, double bytes)
{
    return (struct Cost){ P - 1, (P - 1) * bytes };
}

static void flat_links(struct Sent *link, int P, size_t n)
{
    for (int r = 1; r < P; r++)
        sends(link, P, 0, r, 1, n);
}

static struct Cost spread_cost(int P, double bytes)
{
    return (struct Cost){ levels(P), levels(P) * bytes };
}

/* The parent of v is v without its lowest bit. */
static void spread_links(struct Sent *link, int P, size_t n)
{
    for (int v = 1; v < P; v++)
        sends(link, P, v & (v - 1), v, 1, n);
}

static struct Cost chain_cost(int P, double bytes)
{
    const double steps = P > 1 ? P - 2 + CHAIN_PIECES : 0;
    return (struct Cost){ steps, steps * bytes / CHAIN_PIECES };
}

static void chain_links(struct Sent *link, int P, size_t n)
{
    for (int r = 0; r + 1 < P; r++)
        sends(link, P, r, r + 1, CHAIN_PIECES, n);
}


/* the formulas of trees and butterflies */
static struct Cost tree_cost(int P, double bytes)
{
    return (struct Cost){ 2 * levels(P), 2 * levels(P) * bytes };
}

static void tree_links(struct Sent *link, int P, size_t n)
{
    spread_links(link, P, n);
    for (int v = 1; v < P; v++)
        sends(link, P, v, v & (v - 1), 1, n);
}

static int below(int P)
{
    int p = 1;
    while (2 * p <= P)
        p *= 2;
    return p;
}

/* The rank of an active one, and what the others cost before and after. */
static int place(int active, int extra)
{
    return active < extra ? 2 * active : active + extra;
}

static void fold_links(struct Sent *link, int P, size_t n)
{
    for (int r = 0; r < P - below(P); r++) {
        sends(link, P, 2 * r + 1, 2 * r, 1, n);
        sends(link, P, 2 * r, 2 * r + 1, 1, n);
    }
}

static struct Cost doubling_cost(int P, double bytes)
{
    const double steps = levels(below(P)) + (P > below(P) ? 2 : 0);
    return (struct Cost){ steps, steps * bytes };
}

static void doubling_links(struct Sent *link, int P, size_t n)
{
    const int p = below(P), extra = P - p;
    fold_links(link, P, n);
    for (int a = 0; a < p; a++)
        for (int d = 1; d < p; d *= 2)
            sends(link, P, place(a, extra), place(a ^ d, extra), 1, n);
}

static struct Cost halving_cost(int P, double bytes)
{
    const double p = below(P), folded = P > below(P) ? 2 : 0;
    return (struct Cost){ 2 * levels(below(P)) + folded,
                          2 * (p - 1) / p * bytes + folded * bytes };
}

/* At distance d active rank a sends the half that the other one keeps, and
 * later the half that it kept. */
static void halving_links(struct Sent *link, int P, size_t n)
{
    const int p = below(P), extra = P - p;
    fold_links(link, P, n);
    for (int a = 0; a < p; a++)
        for (int d = 1; d < p; d *= 2)
            for (int half = 0; half < 2; half++) {
                const int k = (half ? a : a ^ d) / d * d;
                const size_t from = n * (size_t)k / (size_t)p;
                const size_t to = n * (size_t)(k + d) / (size_t)p;
                sends(link, P, place(a, extra), place(a ^ d, extra), 1,
                      to - from);
            }
}


/* the formulas of direct messages */
static void direct_links(struct Sent *link, int P, size_t n)
{
    for (int r = 0; r < P; r++)
        for (int q = 0; q < P; q++)
            if (q != r)
                sends(link, P, r, q, 1, part(n, P, q));
}

static void ordered_links(struct Sent *link, int P, size_t n)
{
    direct_links(link, P, n);
    gather_links(link, P, n);
}


/* the list of collectives */
static bool flat(struct World *w, float *x, size_t n, struct Error *e)
{
    return broadcast_flat(w, x, n, 0, e);
}

static bool tree(struct World *w, float *x, size_t n, struct Error *e)
{
    return broadcast_tree(w, x, n, 0, e);
}

static bool chain(struct World *w, float *x, size_t n, struct Error *e)
{
    return broadcast_chain(w, x, n, 0, CHAIN_PIECES, e);
}

static bool exchange_all(struct World *w, float *x, size_t n,
                         struct Error *e)
{
    if (n % (size_t)w->size)
        return error_set(e, "all-to-all of %zu floats: a multiple of the %d"
                         " ranks is expected", n, w->size);
    float *from = malloc((n + 1) * sizeof *from);
    if (!from)
        return error_set(e, "no memory for %zu floats", n);
    if (n)
        memcpy(from, x, n * sizeof *x);
    const bool ok = all_to_all(w, x, from, n / (size_t)w->size, e);
    free(from);
    return ok;
}

const struct Collective collectives[] = {
    { BROADCAST, "broadcast", "flat", flat, flat_cost, flat_links },
    { BROADCAST, "broadcast", "tree", tree, spread_cost, spread_links },
    { BROADCAST, "broadcast", "chain", chain, chain_cost, chain_links },
    { REDUCE_SCATTER, "reduce-scatter", "ring", reduce_scatter_ring,
      ring_once_cost, scatter_links },
    { REDUCE_SCATTER, "reduce-scatter", "direct", reduce_scatter_direct,
      ring_once_cost, direct_links },
    { ALL_GATHER, "all-gather", "ring", all_gather_ring, ring_once_cost,
      gather_links },
    { ALL_REDUCE, "all-reduce", "ring", all_reduce_ring, ring_cost,
      ring_links },
    { ALL_REDUCE, "all-reduce", "tree", all_reduce_tree, tree_cost,
      tree_links },
    { ALL_REDUCE, "all-reduce", "doubling", all_reduce_doubling,
      doubling_cost, doubling_links },
    { ALL_REDUCE, "all-reduce", "halving", all_reduce_halving,
      halving_cost, halving_links },
    { ALL_REDUCE, "all-reduce", "direct", all_reduce_direct, ring_cost,
      ordered_links },
    { ALL_TO_ALL, "all-to-all", "pairs", exchange_all, ring_once_cost,
      direct_links },
};
const int n_collectives = sizeof collectives / sizeof *collectives;

const struct Collective *collective_named(const char *name,
                                          const char *algorithm)
{
    for (int i = 0; i < n_collectives; i++)
        if (strcmp(collectives[i].name, name) == 0 &&
            strcmp(collectives[i].algorithm, algorithm) == 0)
            return &collectives[i];
    return NULL;
}
