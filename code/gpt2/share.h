/* Tangled from chapters/beyond/many-gpus.nw, "Buckets, and the overlap with the backward pass".  Edit it there. */

/* share.h: how the ranks of a run make one gradient of theirs. */
#ifndef GPT2_SHARE_H
#define GPT2_SHARE_H

#include "dist/dist.h"
#include "gpt2/model.h"

/* `struct ShareConfig`: what decides how a gradient is shared */
struct ShareConfig {
    struct Dist *dist;      /* NULL: there is nobody to share with */
    bool fixed;             /* sum in the order of the micro-batches */
    bool late;              /* not before the backward pass has ended */
    size_t bucket_bytes;    /* of gradients that travel together */
    bool shards;            /* a rank needs its parts of the sum only */
};


/* `struct Bucket`: gradients that travel together */
struct Bucket {
    size_t from, to;        /* numbers of g, multiples of 16 world */
    size_t own;             /* where this rank's part is among its parts */
};


/* `struct Share`: what a rank needs to share its gradient */
struct Share {
    struct ShareConfig config;
    struct Model *model;
    struct Bucket *bucket;          /* [buckets], the last numbers first */
    int buckets, sent;              /* of this step */
    bool early;                     /* they are, by the backward pass */
    bool look;                      /* measure own_s in this step */
    double begun_s, own_s;          /* for this rank's own gradients */
    size_t own;                     /* numbers in this rank's parts */
    real *sum;                      /* [own], with shards or fixed */
    real *parts;                    /* [world][a part], fixed */
};


/* declare the functions of a share */
/* Decide the buckets.  Free also after a failure. */
bool share_create(struct Share *s, const struct ShareConfig *config,
                  struct Model *m, struct Error *e);
void share_free(struct Share *s);

/* The numbers that a rank has of every divided array. */
size_t share_part(const struct ParamTable *t, int ranks);

/* Ranks, and the place of this one: 1 and 0 where nothing is shared. */
int share_world(const struct Share *s);
int share_rank(const struct Share *s);

/* Around the gradient of a micro-batch, number k of those that this rank
 * has: after the last one the model's gradient is the sum over all.  A
 * gradient is added to the one before if share_adds. */
bool share_adds(const struct Share *s, int k);
void share_begin(struct Share *s, bool last);
void share_end(struct Share *s, int k, bool last);

/* Exchange the model's gradient as after the last micro-batch, and nothing
 * else: for measuring. */
void share_exchange(struct Share *s);

#endif
