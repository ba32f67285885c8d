/* Tangled from chapters/beyond/many-gpus.nw, "Dividing the optimiser: ZeRO".  Edit it there. */

/* shards.h: the optimiser's arrays, a part of them on each rank. */
#ifndef GPT2_SHARDS_H
#define GPT2_SHARDS_H

#include "gpt2/optimizer.h"
#include "gpt2/share.h"
#include "ops/adamw/adamw.h"

/* `struct Shards`: what a rank keeps of the optimiser */
struct Shards {
    struct Optimizer *optimizer;    /* NULL: nothing is divided */
    struct Share *share;
    real *w;                        /* fp32, of a bf16 model, [own] */
    struct AdamwSpan *span;         /* of bucket i: from first[i] on */
    int *first;                     /* [buckets + 1] */
    bf16 *line;                     /* a bucket in one piece */
};


/* declare the functions of shards */
/* Nothing is divided if share->config.shards is false.  Free also after a
 * failure, before the optimiser and the share. */
bool shards_create(struct Shards *s, struct Optimizer *o,
                   struct Share *share, struct Error *e);
void shards_free(struct Shards *s);

/* Move this rank's part of the weights along its part of the summed
 * gradient, and give it to all ranks. */
void shards_step(struct Shards *s, const struct AdamwStep *step);

/* Give it once more, for measuring.  Nothing where nothing is divided. */
void shards_give(struct Shards *s);

/* For a checkpoint: in rank 0 all of the arrays come to the host; every
 * rank has to call it.  shards_drop when they have been written. */
bool shards_collect(const struct Shards *s, struct Error *e);
void shards_drop(const struct Shards *s);

/* Room on the host for what a checkpoint has; then each rank takes its
 * part. */
bool shards_expect(const struct Shards *s, struct Error *e);
bool shards_spread(struct Shards *s, struct Error *e);

#endif
