/* Tangled from chapters/workshop/fused-details.nw, "GELU".  Edit it there. */

#ifndef OPS_GELU_GELU_BF16_H
#define OPS_GELU_GELU_BF16_H

#include <stddef.h>
#include "base/extern_c.h"
#include "ops/kernels/bf16.h"

C_FUNCTIONS_BEGIN

/* the contracts of GELU in bf16 */
/* y = gelu(x), the tanh form, as in gelu.h.
 *   y, x      bf16 [n], at multiples of 16 bytes; y may be x
 *   moves     4n bytes
 *   numerics  float inside, exp2 and 1 / x of the special function unit
 *             (relative error below 2^-21) */
void gelu_bf16_fwd(bf16 *y, const bf16 *x, size_t n);

/* dx = dy gelu'(x); dx may be dy or x.       moves  6n bytes */
void gelu_bf16_bwd(bf16 *dx, const bf16 *dy, const bf16 *x, size_t n);

C_FUNCTIONS_END

#endif
