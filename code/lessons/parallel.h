/* Tangled from chapters/workshop/schemes.nw, "Schemes on ranks".  Edit it there. */

/* parallel.h: the schemes of parallel training, small, on ranks. */
#ifndef LESSONS_PARALLEL_H
#define LESSONS_PARALLEL_H

#include "dist/collectives/collectives.h"

/* declare the schemes */
/* y [T][C] = gelu(x w1) w2 with x [T][C]; each rank has H columns of w1,
 * [C][H], and the same H rows of w2, [H][C]. */
bool mlp_tensor(struct World *w, float *y, const float *x, const float *w1,
                const float *w2, int T, int C, int H, struct Error *e);

/* y [T][C] = causal attention, projected by wo [heads * D][C]; q, k, v
 * [heads][T][D] are of this rank's heads. */
bool attention_tensor(struct World *w, float *y, const float *q,
                      const float *k, const float *v, const float *wo,
                      int heads, int T, int D, int C, struct Error *e);

/* o [n][D]: causal attention of rows rank n .. rank n + n - 1, whose q, k
 * and v this rank has; and of all rows on one GPU, in blocks of n. */
bool attention_ring(struct World *w, float *o, const float *q,
                    const float *k, const float *v, int n, int D,
                    double block_s, struct Error *e);
void attention_blocks(float *o, const float *q, const float *k,
                      const float *v, int blocks, int n, int D);

/* y [n][C]: token i of x [n][C] by expert expert[i], which is on the rank
 * of this number. */
bool moe_exchange(struct World *w, float *y, const float *x,
                  const int *expert, int n, int C, struct Error *e);
void expert_apply(float *x, int C, int expert);

/* One step of momentum with the states of `stage` sharded: x and m are [n],
 * of which a rank needs its own chunk only where the stage shards it.
 * g(x, rank) is the gradient of a rank. */
bool zero_step(struct World *w, int stage, float *x, float *m, size_t n,
               void (*gradient)(float *g, const float *x, size_t n,
                                int rank), struct Error *e);
#endif
