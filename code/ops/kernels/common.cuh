/* Tangled from chapters/workshop/timing-operators.nw, "The backend".  Edit it there. */

/* What the CUDA sources of the operators share. */
#ifndef OPS_KERNELS_COMMON_CUH
#define OPS_KERNELS_COMMON_CUH

#include <limits.h>
#include "backend/cuda_stream.cuh"
#include "base/real.h"
#include "ops/kernels/ptx.cuh"
#include "ops/kernels/vmath.h"
#include "ops/kernels/warp.cuh"

/* blocks_for: enough blocks for n things */
enum { THREADS = 256, WARPS = THREADS / 32 };

/* Blocks that hold n things, each `each` of them; at least one.  If they
 * are too many for a grid, so is the result. */
static inline unsigned blocks_for(size_t n, size_t each)
{
    size_t blocks = n / each + (n % each != 0);
    if (blocks > UINT_MAX)
        return UINT_MAX;
    return blocks ? (unsigned)blocks : 1;
}

/* Threads for a row of n numbers: whole warps, at most a block. */
static inline unsigned threads_for(int n)
{
    const unsigned whole = ((unsigned)n + 31) / 32 * 32;
    return whole < THREADS ? whole : (unsigned)THREADS;
}

/* sums and maxima over four lanes */
DEVICE_INLINE float quad_max(float x)
{
    x = fmaxf(x, __shfl_xor_sync(WHOLE_WARP, x, 1));
    return fmaxf(x, __shfl_xor_sync(WHOLE_WARP, x, 2));
}

DEVICE_INLINE float quad_sum(float x)
{
    x += __shfl_xor_sync(WHOLE_WARP, x, 1);
    return x + __shfl_xor_sync(WHOLE_WARP, x, 2);
}

/* vlog: the natural logarithm */
/* log(x) for x from 2^-126 up; inf gives inf, NaN gives NaN */
ALWAYS_INLINE float vlog(float x)
{
    /* x = 2^n (1 + f), sqrt(1/2) <= 1 + f < sqrt(2) */
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    bits -= 0x3f3504f3u;                        /* sqrt(1/2) as bits */
    const float n = (float)((int32_t)bits >> 23);
    bits = (bits & 0x7fffffu) + 0x3f3504f3u;
    float f;
    __builtin_memcpy(&f, &bits, sizeof f);
    f -= 1;
    const float s = f / (2 + f), z = s * s, half = 0.5f * f * f;
    float q = 2.0f / 9;
    q = q * z + 2.0f / 7;
    q = q * z + 2.0f / 5;
    q = q * z + 2.0f / 3;
    float low = half - (s * (half + q * z) + n * 1.42860677e-6f);
    return x < INFINITY ? n * 0.693145752f - (low - f) : x;
}

#endif
