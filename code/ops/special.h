/* Chapter 18b, Fused operators: 18b.6 GELU */
/* Tangled from chapters/18b-fused-operators.nw by `make tangle`; edit it there. */

/* special.h: what the special function unit of a GPU computes, for kernels:
 * 2^x within 2 units of the last place, 1 / x within 1.  NaN stays NaN. */
#ifndef OPS_SPECIAL_H
#define OPS_SPECIAL_H

#define LOG2E 1.4426950408889634f
#define LN2   0.6931471805599453f

/* two instructions of the special function unit (18b.6) */
__device__ static __forceinline__ float fast_exp2(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ static __forceinline__ float fast_inverse(float x)
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

#endif
