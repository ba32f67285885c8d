/* Tangled from chapters/workshop/exchange.nw, "The formulas".  Edit it there. */

/* cost.h: what each collective must send, and how long it must take. */
#ifndef DIST_COLLECTIVES_COST_H
#define DIST_COLLECTIVES_COST_H

#include "dist/collectives/collectives.h"

/* the cost of a collective */
/* On the longest path: messages, and bytes in them. */
struct Cost { double messages, bytes; };

double cost_seconds(struct Cost c, struct Link link);

/* Of all_reduce_hosts, where per_host and P divide the array. */
double hosts_seconds(int P, int per_host, double bytes,
                     const struct Links *links);

/* a collective and its formulas */
enum CollectiveKind {
    BROADCAST, REDUCE_SCATTER, ALL_GATHER, ALL_REDUCE, ALL_TO_ALL
};

struct Collective {
    enum CollectiveKind kind;
    const char *name, *algorithm;
    /* x is [n] in every rank; the root is rank 0; for all-to-all n is a
     * multiple of the ranks. */
    bool (*run)(struct World *w, float *x, size_t n, struct Error *e);
    /* P ranks, `bytes` of x in each; exact where P divides the chunks */
    struct Cost (*cost)(int P, double bytes);
    /* what rank r sends to rank q is added to link[r * P + q] */
    void (*links)(struct Sent *link, int P, size_t n);
};

enum { CHAIN_PIECES = 8 };      /* of the chain in this list */
extern const struct Collective collectives[];
extern const int n_collectives;

/* The one of these names, or NULL. */
const struct Collective *collective_named(const char *name,
                                          const char *algorithm);

#endif
