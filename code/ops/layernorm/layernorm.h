/* Tangled from chapters/workshop/timing-operators.nw, "Layer normalisation".  Edit it there. */

#ifndef OPS_LAYERNORM_LAYERNORM_H
#define OPS_LAYERNORM_LAYERNORM_H

#include "base/real.h"

#define LAYERNORM_EPS 1e-5f     /* GPT-2's layer_norm_epsilon */

C_FUNCTIONS_BEGIN

/* contract of `layernorm_fwd` */
/* y[n,:] = (x[n,:] - mean[n]) * rstd[n] * w + b   (Ba 2016)
 *
 *   y, x        real [N][C]; y is overwritten, may be x
 *   mean, rstd  real [N], overwritten, kept for the backward pass;
 *               rstd = 1 / sqrt(variance + LAYERNORM_EPS)
 *   w, b        real [C]
 *   moves       8 NC bytes in float       FLOP  about 7 NC
 *   numerics    two passes: the mean, then the mean square of x - mean */
void layernorm_fwd(real *y, real *mean, real *rstd, const real *x,
                   const real *w, const real *b, int N, int C);

/* contract of `layernorm_bwd` */
/* The gradient.  dx is ADDED TO, because x also runs past the block on
 * the residual stream; dw and db are added to.
 *   moves       16 NC bytes in float      FLOP  about 14 NC
 *   numerics    dw, db: sums over fixed pieces of rows, then over pieces,
 *               the same for any number of threads */
void layernorm_bwd(real *dx, real *dw, real *db, const real *dy,
                   const real *x, const real *mean, const real *rstd,
                   const real *w, int N, int C);

C_FUNCTIONS_END

#endif
