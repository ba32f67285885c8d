/* Tangled from chapters/workshop/fused-details.nw, "The classifier".  Edit it there. */

/* max_and_sum.cuh: the maximum of a row of logits and the sum of its
 * exponentials, in one walk. */
#ifndef OPS_LOSS_MAX_AND_SUM_CUH
#define OPS_LOSS_MAX_AND_SUM_CUH

#include "ops/kernels/common.cuh"
#include "ops/kernels/ptx.cuh"

#define LOWEST -3.402823466e38f         /* below every finite logit */

/* a maximum and a sum, together */
/* m: the running maximum, s: the running sum of exp(x - m); top: the
 * largest of the next numbers. */
__device__ static __forceinline__ void raise(float *m, float *s, float top)
{
    if (top > *m) {
        *s *= fast_exp2((*m - top) * LOG2E);
        *m = top;
    }
}

/* The running maximum and the running sum after W more numbers. */
template <int W>
__device__ static __forceinline__ void take(float *m, float *s,
                                            const float *v)
{
    float top = v[0];
    #pragma unroll
    for (int i = 1; i < W; i++)
        top = fmaxf(top, v[i]);
    raise(m, s, top);
    #pragma unroll
    for (int i = 0; i < W; i++)
        *s += fast_exp2((v[i] - *m) * LOG2E);
}

/* the maximum and the sum of a block */
/* The same for the whole block.  part has room for 2 numbers of each of
 * 32 warps, which nobody reads any more. */
__device__ static __forceinline__ void together(float *m, float *s,
                                                float (*part)[32])
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    /* leave the maximum and the sum of this warp */
    const float mine = warp_max(*m);
    *s = warp_sum(*s * fast_exp2((*m - mine) * LOG2E));
    if (lane == 0) {
        part[0][warp] = mine;
        part[1][warp] = *s;
    }
    __syncthreads();
    const bool there = lane < (int)blockDim.x / 32;
    const float m1 = there ? part[0][lane] : LOWEST;
    *m = warp_max(m1);
    *s = warp_sum(there ? part[1][lane] * fast_exp2((m1 - *m) * LOG2E) : 0);
}

#endif
