/* Tangled from chapters/workshop/fused-details.nw, "LayerNorm forward".  Edit it there. */

#ifndef OPS_LAYERNORM_LAYERNORM_BF16_H
#define OPS_LAYERNORM_LAYERNORM_BF16_H

#include <stdbool.h>
#include "base/extern_c.h"
#include "ops/kernels/bf16.h"

C_FUNCTIONS_BEGIN

/* the contracts of LayerNorm in bf16 */
/* y[n,:] = (x[n,:] - mean[n]) * rstd[n] * w + b
 *
 *   y, x        bf16 [N][C]; y is overwritten, may be x
 *   mean, rstd  float [N], overwritten, kept for the backward pass
 *   w, b        bf16 [C]
 *   needs       C a multiple of 8 and at most 2,048, everything bf16 at
 *               a multiple of 16 bytes; or any C of at most 1,056
 *   moves       4 NC + 8 N + 4 C bytes
 *   numerics    float; the mean, then the mean square of x - mean */
void layernorm_bf16_fwd(bf16 *y, float *mean, float *rstd, const bf16 *x,
                        const bf16 *w, const bf16 *b, int N, int C);

/* dx = dres + the gradient of x that dy gives
 *
 *   dx, dy, x   bf16 [N][C]; dx is overwritten, may be dy
 *   dres        bf16 [N][C], may be dx; NULL: zero
 *   dw, db      float [C], written, or added to if accumulate
 *   dbias       float [C], likewise: the column sums of dx, which are
 *               the gradient of a bias added to x; NULL: not wanted
 *   needs       C as above; or any C of at most 384
 *   moves       8 NC + 8 N bytes (6 NC without dres) and partial sums
 *   numerics    sums in float over fixed sets of rows, which depend on N
 *               and C only (and on shared memory where it is small), then
 *               over the sets */
void layernorm_bf16_bwd(bf16 *dx, float *dw, float *db, float *dbias,
                        const bf16 *dy, const bf16 *dres, const bf16 *x,
                        const float *mean, const float *rstd, const bf16 *w,
                        int N, int C, bool accumulate);

/* the other contracts of LayerNorm in bf16 */
/* sum = x + add, rounded to bf16, and the LayerNorm of that.  sum may be
 * x or add.
 *   moves       8 NC + 8 N + 4 C bytes */
void residual_layernorm_bf16_fwd(bf16 *sum, bf16 *y, float *mean,
                                 float *rstd, const bf16 *x,
                                 const bf16 *add, const bf16 *w,
                                 const bf16 *b, int N, int C);

/* The same where x is an embedding, a word's row plus a position's:
 * dwpe[t,:] = the sum of dx over the rows t, T + t, 2 T + t, ...
 *
 *   dwpe        float [T][C], at a multiple of 16 bytes; written, or added
 *               to if accumulate
 *   needs       N >= T
 *   moves       8 NC + 8 N + 4 TC bytes and partial sums */
void layernorm_bf16_bwd_positions(bf16 *dx, float *dw, float *db,
                                  float *dwpe, const bf16 *dy,
                                  const bf16 *dres, const bf16 *x,
                                  const float *mean, const float *rstd,
                                  const bf16 *w, int N, int T, int C,
                                  bool accumulate);

C_FUNCTIONS_END

#endif
