/* Tangled from chapters/tricks/low-precision.nw, "Rounding to bf16 on bits".  Edit it there. */

/* bf16.h: numbers of 16 bits, the upper half of a float: a sign, eight
 * bits of exponent, seven of fraction.  They are only stored; arithmetic
 * is in float.  A host and a GPU agree on every bit. */
#ifndef OPS_KERNELS_BF16_H
#define OPS_KERNELS_BF16_H

#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__

/* bf16 in CUDA */
#include <cuda_bf16.h>

typedef __nv_bfloat16 bf16;

__host__ __device__ static inline float bf16_to_float(bf16 x)
{
    return __bfloat162float(x);
}

__host__ __device__ static inline bf16 float_to_bf16(float x)
{
    return __float2bfloat16(x);
}

#include "ops/kernels/ptx.cuh"

/* packs: numbers that travel together */
/* W neighbouring numbers, moved by one instruction: 8 are 16 bytes, at a
 * multiple of 16 bytes, and 4 are 8 bytes.  Rows that do not begin at such
 * multiples have packs of 1. */
template <int W, typename E = bf16> struct Pack;
template <> struct Pack<8> { uint4 bits; };
template <> struct Pack<4> { uint2 bits; };
template <> struct Pack<1> { unsigned short bits; };

template <int W, typename E>
__device__ static __forceinline__ Pack<W, E> pack_load(const E *p)
{
    return *(const Pack<W, E> *)p;
}

template <int W, typename E>
__device__ static __forceinline__ void pack_store(E *p, Pack<W, E> a)
{
    *(Pack<W, E> *)p = a;
}

__device__ static __forceinline__ void pack_get(float *v, Pack<8> a)
{
    const unsigned bits[4] = { a.bits.x, a.bits.y, a.bits.z, a.bits.w };
    #pragma unroll
    for (int i = 0; i < 4; i++) {
        v[2 * i] = __uint_as_float(bits[i] << 16);
        v[2 * i + 1] = __uint_as_float(bits[i] & 0xffff0000);
    }
}

__device__ static __forceinline__ unsigned pack_two(float low, float high)
{
    const __nv_bfloat162 two = __floats2bfloat162_rn(low, high);
    unsigned bits;
    __builtin_memcpy(&bits, &two, sizeof bits);
    return bits;
}

__device__ static __forceinline__ void pack_put(Pack<8> *a, const float *v)
{
    a->bits = make_uint4(pack_two(v[0], v[1]), pack_two(v[2], v[3]),
                         pack_two(v[4], v[5]), pack_two(v[6], v[7]));
}

__device__ static __forceinline__ void pack_put(Pack<1> *a, const float *v)
{
    a->bits = __bfloat16_as_ushort(__float2bfloat16(v[0]));
}

/* packs of four numbers, of one, and of fp32 */
__device__ static __forceinline__ void pack_get(float *v, Pack<4> a)
{
    v[0] = __uint_as_float(a.bits.x << 16);
    v[1] = __uint_as_float(a.bits.x & 0xffff0000);
    v[2] = __uint_as_float(a.bits.y << 16);
    v[3] = __uint_as_float(a.bits.y & 0xffff0000);
}

__device__ static __forceinline__ void pack_get(float *v, Pack<1> a)
{
    v[0] = __uint_as_float((unsigned)a.bits << 16);
}

template <> struct Pack<4, float> { float4 v; };

__device__ static __forceinline__ void pack_get(float *v, Pack<4, float> a)
{
    v[0] = a.v.x, v[1] = a.v.y, v[2] = a.v.z, v[3] = a.v.w;
}

__device__ static __forceinline__ void pack_put(Pack<4, float> *a,
                                                const float *v)
{
    a->v = make_float4(v[0], v[1], v[2], v[3]);
}

/* W floats side by side, at a multiple of 16 bytes if W is 4 or 8. */
template <int W>
__device__ static __forceinline__ void float4_get(float *v, const float *p)
{
    #pragma unroll
    for (int i = 0; i < W / 4; i++) {
        const float4 a = ((const float4 *)p)[i];
        v[4 * i] = a.x, v[4 * i + 1] = a.y;
        v[4 * i + 2] = a.z, v[4 * i + 3] = a.w;
    }
    if (W == 1)
        v[0] = p[0];
}

template <int W>
__device__ static __forceinline__ void float4_put(float *p, const float *v)
{
    #pragma unroll
    for (int i = 0; i < W / 4; i++)
        ((float4 *)p)[i] = make_float4(v[4 * i], v[4 * i + 1],
                                       v[4 * i + 2], v[4 * i + 3]);
    if (W == 1)
        p[0] = v[0];
}

template <int W, typename E>
DEVICE_INLINE void pack_copy_async(Pack<W, E> *to, const E *from)
{
    if (sizeof *to == 16)
        cp_async(to, from);
    else
        *to = pack_load<W>(from);
}
#else

/* bf16 in C */
typedef struct { uint16_t bits; } bf16;

static inline float bf16_to_float(bf16 x)
{
    const uint32_t bits = (uint32_t)x.bits << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* To the nearest; of two equally near, to the even one. */
static inline bf16 float_to_bf16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000)
        return (bf16){ 0x7fff };                    /* NaN */
    bits += 0x7fff + (bits >> 16 & 1);
    return (bf16){ (uint16_t)(bits >> 16) };
}
#endif

#endif
