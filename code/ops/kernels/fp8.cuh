/* Tangled from chapters/workshop/measuring-low-precision.nw, "quantize: casts beside a copy".  Edit it there. */

/* fp8.cuh: 8-bit floats, e4m3, as the Open Compute Project specifies. */
#ifndef OPS_KERNELS_FP8_CUH
#define OPS_KERNELS_FP8_CUH

#include "ops/kernels/ptx.cuh"

/* e4m3 by integers */
/* x as e4m3, to the nearest, at most 448 */
DEVICE_INLINE uint32_t e4m3_by_integers(float x)
{
    const uint32_t bits = __float_as_uint(x), m = bits & 0x7fffffff;
    uint32_t code;
    if (m > 0x7f800000)
        return 0x7f;                                    /* NaN */
    if (m < 0x3c800000)                                 /* 2^-6 */
        code = __float_as_uint(__uint_as_float(m) + 0x1p14f) - 0x46800000;
    else
        code = ((m + 0x7ffff + (m >> 20 & 1)) >> 20) - 120 * 8;
    return (code < 0x7e ? code : 0x7e) | (bits >> 24 & 0x80);
}

/* e4m3 by an instruction */
/* low and high as e4m3, in the lower and upper byte */
DEVICE_INLINE uint32_t e4m3_two(float low, float high)
{
#if defined __NVCC__ && defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 890
    uint16_t two;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;"
        : "=h"(two) : "f"(high), "f"(low));
    return two;
#else
    return e4m3_by_integers(low) | e4m3_by_integers(high) << 8;
#endif
}

/* e4m3 back to fp32 */
/* The number that a code stands for. */
DEVICE_INLINE float e4m3_value(uint32_t code)
{
    const float x = __uint_as_float((code & 0x7f) << 20) * 0x1p120f;
    const float y = (code & 0x7f) == 0x7f ? __uint_as_float(0x7fffffff) : x;
    return code & 0x80 ? -y : y;
}

#endif
