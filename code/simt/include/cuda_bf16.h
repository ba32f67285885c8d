/* Tangled from chapters/workshop/simt-runtime.nw, "Half and bfloat16 in a kernel".  Edit it there. */

/* bfloat16: the upper half of a float. */
#ifndef SIMT_CUDA_BF16_H
#define SIMT_CUDA_BF16_H

#include "simt_narrow.h"

SIMT_NARROW_TYPE(__nv_bfloat16, __nv_bfloat162)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

SIMT_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short b)
{
    return simt_narrow___nv_bfloat16(b);
}
SIMT_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 v)
{
    return v.__x;
}

SIMT_BOTH __nv_bfloat16 __float2bfloat16(float x)
{
    __nv_bfloat16 r;
#ifdef __CUDA_ARCH__
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r.__x) : "f"(x));
#else
    unsigned b = simt_bits(x);
    r.__x = x != x ? 0x7fff
                   : (unsigned short)((b + 0x7fff + (b >> 16 & 1)) >> 16);
#endif
    return r;
}
SIMT_BOTH float __bfloat162float(__nv_bfloat16 v)
{
    return simt_float((unsigned)v.__x << 16);
}
SIMT_BOTH __nv_bfloat16 __float2bfloat16_rn(float x)
{
    return __float2bfloat16(x);
}
SIMT_BOTH __nv_bfloat162 __floats2bfloat162_rn(float x, float y)
{
#ifdef __CUDA_ARCH__
    unsigned r;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(y), "f"(x));
    return simt_pair___nv_bfloat16(r);
#else
    return __nv_bfloat162(__float2bfloat16(x), __float2bfloat16(y));
#endif
}
SIMT_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 v)
{
    return __floats2bfloat162_rn(v.x, v.y);
}
SIMT_BOTH float2 __bfloat1622float2(__nv_bfloat162 v)
{
    return make_float2(__bfloat162float(v.x), __bfloat162float(v.y));
}
SIMT_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
SIMT_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
SIMT_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x,
                                            __nv_bfloat16 y)
{
    return __nv_bfloat162(x, y);
}
SIMT_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x)
{
    return __nv_bfloat162(x, x);
}
SIMT_NARROW_REST(__nv_bfloat16, __nv_bfloat162, __float2bfloat16,
                 __bfloat162float, 0x3f80)
SIMT_BOTH float simt_fma___nv_bfloat16(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}

#define SIMT_BF16_ADD(x2) "fma.rn.bf16" x2 " %0, %1, %3, %2;"
#define SIMT_BF16_SUB(x2) "fma.rn.bf16" x2 " %0, %2, %3, %1;"
#define SIMT_BF16_FMA(x2) "fma.rn.bf16" x2 " %0, %1, %2, %3;"
SIMT_NARROW(__nv_bfloat16, __nv_bfloat162, SIMT_BF16_ADD, SIMT_BF16_SUB,
            SIMT_BF16_FMA, SIMT_BF16_FMA)

#include "simt_narrow_more.h"
SIMT_NARROW_ALL(__nv_bfloat16, __nv_bfloat162, bfloat16)

#endif
