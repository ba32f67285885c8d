/* Tangled from chapters/workshop/timing-operators.nw, "GELU".  Edit it there. */

#ifndef OPS_GELU_GELU_H
#define OPS_GELU_GELU_H

#include <stddef.h>
#include "base/real.h"

C_FUNCTIONS_BEGIN

/* contract of `gelu_fwd` */
/* y[i] = GELU(x[i]) in GPT-2's tanh form (Hendrycks 2016):
 *     x/2 (1 + tanh(u)),  u = sqrt(2/pi) (x + 0.044715 x^3)
 *
 *   x, y      real [n], any alignment; y may be x
 *   moves     8n bytes in float           FLOP  about 30n
 *   numerics  evaluated as x / (1 + exp(-2u)): the same function without
 *             the cancellation of 1 + tanh(u) at negative x.  Finite for
 *             every finite x; -inf gives NaN (the product -inf * 0). */
void gelu_fwd(real *y, const real *x, size_t n);

/* contract of `gelu_bwd` */
/* dx[i] = dy[i] * GELU'(x[i]); dx is overwritten and may be dy.
 *   moves     12n bytes in float          FLOP  about 40n */
void gelu_bwd(real *dx, const real *dy, const real *x, size_t n);

C_FUNCTIONS_END

#endif
