/* Tangled from chapters/workshop/timing-operators.nw, "Residual addition and embedding".  Edit it there. */

#ifndef OPS_RESIDUAL_RESIDUAL_H
#define OPS_RESIDUAL_RESIDUAL_H

#include <stddef.h>
#include "base/real.h"

C_FUNCTIONS_BEGIN

/* contract of `residual_fwd` */
/* y[i] = a[i] + b[i].  y may be a or b.  There is no residual_bwd: the
 * gradients of a and b are both dy itself.
 *   moves     12n bytes in float          FLOP  n */
void residual_fwd(real *y, const real *a, const real *b, size_t n);

C_FUNCTIONS_END

#endif
