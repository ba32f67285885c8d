/* Chapter 15, Operators */
/* Tangled from chapters/15-operators.nw by `make tangle`; edit it there. */

#ifndef OPS_VMATH_H
#define OPS_VMATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#include "base/real.h"

/* exp(x) in a form that a compiler can vectorise: no branch, no call.
 *
 *   real = float   error under 1.5 ulp, and under 1.5 * 2^-149 where the
 *                  result is subnormal; NaN gives NaN; overflow inf;
 *                  -inf 0.  Source: section "An exponential" of the book.
 *   real = double  libm's exp, slow and exact enough for gradient checks. */
static inline real vexp(real x)
{
    return (real)exp((double)x);
}

/* 1 / (1 + exp(-x)), the logistic function; 0 and 1 at -inf and inf. */
static inline real vsigmoid(real x)
{
    return 1 / (1 + vexp(-x));
}

#endif
