/* Tangled from chapters/workshop/simt-runtime.nw, "Half and bfloat16 in a kernel".  Edit it there. */

/* half: 5 bits of exponent, 10 of fraction. */
#ifndef SIMT_CUDA_FP16_H
#define SIMT_CUDA_FP16_H

#include "simt_narrow.h"

SIMT_NARROW_TYPE(__half, __half2)
typedef __half half;
typedef __half2 half2;

SIMT_BOTH __half __ushort_as_half(unsigned short b)
{
    return simt_narrow___half(b);
}
SIMT_BOTH unsigned short __half_as_ushort(__half v) { return v.__x; }

SIMT_BOTH __half __float2half(float x)
{
    __half r;
#ifdef __CUDA_ARCH__
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r.__x) : "f"(x));
#else
    unsigned b = simt_bits(x), sign = b >> 16 & 0x8000;
    b &= 0x7fffffff;
    if (b > 0x7f800000)
        sign = 0, b = 0x7fff;
    else if (b >= 0x477ff000)                   /* 65520 and above */
        b = 0x7c00;
    else if (b < 0x38800000)                    /* below 2^-14     */
        b = simt_bits(simt_float(b) + 0.5f) - 0x3f000000;
    else
        b = (b - 0x38000000 + 0xfff + (b >> 13 & 1)) >> 13;
    r.__x = (unsigned short)(sign | b);
#endif
    return r;
}
SIMT_BOTH float __half2float(__half v)
{
    float x;
#ifdef __CUDA_ARCH__
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(v.__x));
#else
    unsigned b = v.__x & 0x7fff, sign = (v.__x & 0x8000u) << 16;
    x = b >= 0x7c00  ? simt_float(0x7f800000 | (b & 0x3ff) << 13)
        : b >= 0x400 ? simt_float((b << 13) + 0x38000000)
                     : (float)b * 0x1p-24f;
    x = simt_float(simt_bits(x) | sign);
#endif
    return x;
}
SIMT_BOTH __half __float2half_rn(float x) { return __float2half(x); }
SIMT_BOTH __half2 __floats2half2_rn(float x, float y)
{
#ifdef __CUDA_ARCH__
    unsigned r;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(y), "f"(x));
    return simt_pair___half(r);
#else
    return __half2(__float2half(x), __float2half(y));
#endif
}
SIMT_BOTH __half2 __float22half2_rn(float2 v)
{
    return __floats2half2_rn(v.x, v.y);
}
SIMT_BOTH float2 __half22float2(__half2 v)
{
    return make_float2(__half2float(v.x), __half2float(v.y));
}
SIMT_BOTH __half __low2half(__half2 v) { return v.x; }
SIMT_BOTH __half __high2half(__half2 v) { return v.y; }
SIMT_BOTH __half2 __halves2half2(__half x, __half y)
{
    return __half2(x, y);
}
SIMT_BOTH __half2 __half2half2(__half x) { return __half2(x, x); }

SIMT_NARROW_REST(__half, __half2, __float2half, __half2float, 0x3c00)
/* exact in double, or so nearly that the rounding to float is harmless
 * except where it makes a tie of half */
SIMT_BOTH float simt_fma___half(float a, float b, float c)
{
    return (float)((double)a * b + c);
}

#define SIMT_HALF_ADD(x2) "add.f16" x2 " %0, %1, %2;"
#define SIMT_HALF_SUB(x2) "sub.f16" x2 " %0, %1, %2;"
#define SIMT_HALF_MUL(x2) "mul.f16" x2 " %0, %1, %2;"
#define SIMT_HALF_FMA(x2) "fma.rn.f16" x2 " %0, %1, %2, %3;"
SIMT_NARROW(__half, __half2, SIMT_HALF_ADD, SIMT_HALF_SUB, SIMT_HALF_MUL,
            SIMT_HALF_FMA)
#include "simt_narrow_more.h"
SIMT_NARROW_ALL(__half, __half2, half)
SIMT_BOTH __half2 __float2half2_rn(float x)
{
    return __floats2half2_rn(x, x);
}
SIMT_BOTH __half2 __lows2half2(__half2 a, __half2 b)
{
    return __half2(a.x, b.x);
}
SIMT_BOTH __half2 __highs2half2(__half2 a, __half2 b)
{
    return __half2(a.y, b.y);
}
SIMT_BOTH __half __float2half_rz(float x)
{
    __half h = __float2half(x);
    bool over = __builtin_fabsf(__half2float(h)) > __builtin_fabsf(x);
    return over ? __ushort_as_half((unsigned short)(h.__x - 1)) : h;
}
SIMT_BOTH __half __double2half(double x) { return __float2half((float)x); }
SIMT_BOTH __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
SIMT_BOTH __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }

#endif
