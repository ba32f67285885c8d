/* Tangled from chapters/workshop/measuring-low-precision.nw, "quantize: casts beside a copy".  Edit it there. */

/* stochastic.cuh: random bits, and rounding by them. */
#ifndef OPS_KERNELS_STOCHASTIC_CUH
#define OPS_KERNELS_STOCHASTIC_CUH

#include "ops/kernels/bf16.h"

/* random bits from a counter */
/* Philox4x32-10, as in base/rng.c. */
__device__ static __forceinline__ uint4 philox4(uint4 c, uint2 key)
{
    #pragma unroll
    for (int round = 0; round < 10; round++) {
        const unsigned h0 = __umulhi(0xd2511f53u, c.x);
        const unsigned h1 = __umulhi(0xcd9e8d57u, c.z);
        c = make_uint4(h1 ^ c.y ^ key.x, 0xcd9e8d57u * c.z,
                       h0 ^ c.w ^ key.y, 0xd2511f53u * c.x);
        key.x += 0x9e3779b9u;
        key.y += 0xbb67ae85u;
    }
    return c;
}

/* round an fp32 to bf16 by random bits */
/* x rounded up or down to bf16, up with probability (x - down) / (up -
 * down), as the 16 random bits say. */
__device__ static __forceinline__ unsigned short round_by_chance(
    float x, unsigned random)
{
    unsigned bits = __float_as_uint(x);
    if ((bits & 0x7f800000) == 0x7f800000)          /* inf, NaN */
        return __bfloat16_as_ushort(__float2bfloat16(x));
    return (bits + (random & 0xffff)) >> 16;
}

#endif
