/* Tangled from chapters/workshop/timing-operators.nw, "The exponential".  Edit it there. */

#ifndef OPS_KERNELS_VMATH_H
#define OPS_KERNELS_VMATH_H

#include <math.h>
#include <stdint.h>
#include "base/real.h"

/* `ALWAYS_INLINE` */
/* Inlined into the clones of SIMD_CLONES, too, where inline is not, and
 * into kernels. */
#ifdef __CUDACC__
#define ALWAYS_INLINE static __host__ __device__ __forceinline__
#else
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#endif

/* compute exp without branches or calls */
/* exp(x) in a form that compilers vectorise.
 *   real = float   error under 1.3 ulp, in the subnormal range under 1.3
 *                  times 2^-149; NaN gives NaN, overflow gives inf
 *   real = double  libm's exp: for gradient checks, speed is no matter  */
#ifdef REAL_IS_DOUBLE
ALWAYS_INLINE double vexp(double x)
{
    return exp(x);
}
#else

/* compute exp in fp32 */
/* put n into the exponent bits */
/* n: -126 .. 127, modulo 2^32 */
ALWAYS_INLINE float power_of_two(uint32_t n)
{
    uint32_t bits = (n + 127) << 23;
    float f;
    __builtin_memcpy(&f, &bits, sizeof f);
    return f;
}

ALWAYS_INLINE float vexp(float x)
{
    /* clamp x to where exp is neither 0 nor infinite */
    x = x < -104.0f ? -104.0f : x;      /* exp(-104) < 2^-150: rounds to 0 */
    x = x > 89.0f ? 89.0f : x;          /* exp(89) > FLT_MAX: inf          */
    /* split x into n log 2 + r */
    const float magic = 12582912.0f;            /* 1.5 * 2^23 */
    float t = x * 1.44269504f + magic;          /* x / log 2 rounded */
    float n = t - magic;
    float r = x - n * 0.693145752f - n * 1.42860677e-6f;
    /* compute p = exp(r) by Taylor's series */
    float q = 1.0f / 5040;
    q = q * r + 1.0f / 720;
    q = q * r + 1.0f / 120;
    q = q * r + 1.0f / 24;
    q = q * r + 1.0f / 6;
    q = q * r + 1.0f / 2;
    float p = 1 + (r + r * r * q);
    /* return p 2^n in two steps */
    uint32_t bits;
    __builtin_memcpy(&bits, &t, sizeof bits);
    uint32_t n512 = bits - 0x4b400000u + 512;           /* n + 512 > 0 */
    uint32_t half = n512 >> 1;
    return p * power_of_two(half - 256)
             * power_of_two(n512 - half - 256);
}
#endif

/* compute the logistic function */
/* 1 / (1 + exp(-x)), the logistic function; 0 and 1 at -inf and inf. */
ALWAYS_INLINE real vsigmoid(real x)
{
    return 1 / (1 + vexp(-x));
}

#endif
