/* Tangled from chapters/gpt2/fused-operators.nw, "GELU".  Edit it there. */

/* special.cuh: what the special function unit of a GPU computes:
 * 2^x within 2 units of the last place, 1 / x within 1.  NaN stays NaN. */
#ifndef OPS_KERNELS_SPECIAL_CUH
#define OPS_KERNELS_SPECIAL_CUH

#define LOG2E 1.4426950408889634f
#define LN2   0.6931471805599453f

/* two instructions of the special function unit */
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
