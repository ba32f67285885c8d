/* Tangled from chapters/workshop/timing-operators.nw, "GELU".  Edit it there. */

#ifndef OPS_GELU_GELU_MATH_H
#define OPS_GELU_GELU_MATH_H

#include "ops/kernels/vmath.h"

/* the constants of GELU and `clamp` */
#define TWO_U 1.5957691216057308        /* 2 sqrt(2 / pi) */
#define CUBIC 0.044715

ALWAYS_INLINE real clamp(real x, real limit)
{
    x = x < -limit ? -limit : x;
    return x > limit ? limit : x;
}

/* compute GELU of a number */
ALWAYS_INLINE real gelu_value(real x)
{
    real c = clamp(x, 12);
    real u2 = c * ((real)TWO_U + (real)(TWO_U * CUBIC) * c * c);
    return x * vsigmoid(u2);
}

/* compute the derivative of GELU at a number */
ALWAYS_INLINE real gelu_slope(real x)
{
    real c = clamp(x, 12);
    real cc = (real)(TWO_U * CUBIC) * c * c;
    real du2 = (real)TWO_U + 3 * cc;            /* the derivative of 2u */
    real u2 = c * ((real)TWO_U + cc);
    real e = vexp(u2 < 0 ? u2 : -u2);           /* exp(-|2u|), at most 1 */
    real r = 1 / (1 + e), d = e * r * r;        /* d = s (1 - s) */
    real s = u2 < 0 ? e * r : r;
    return s + c * d * du2;
}

#endif
