/* Tangled from chapters/workshop/measuring-reductions.nw, "Sums of a warp and of a block".  Edit it there. */

/* Sums and maxima of a warp and of a block. */
#ifndef OPS_KERNELS_WARP_CUH
#define OPS_KERNELS_WARP_CUH

#include <stdint.h>

/* add up the numbers of a warp */
#define WHOLE_WARP 0xffffffffu

__device__ static __forceinline__ float warp_sum(float x)
{
    for (int d = 16; d > 0; d /= 2)
        x += __shfl_xor_sync(WHOLE_WARP, x, d);
    return x;
}

/* find the maximum of a warp */
__device__ static __forceinline__ float warp_max(float x)
{
    for (int d = 16; d > 0; d /= 2)
        x = fmaxf(x, __shfl_xor_sync(WHOLE_WARP, x, d));
    return x;
}

/* sums of integers over a warp */
__device__ static __forceinline__ uint32_t warp_shuffles(uint32_t x)
{
    for (int d = 16; d > 0; d /= 2)
        x += __shfl_xor_sync(WHOLE_WARP, x, d);
    return x;
}

/* By redux.sync, which GPUs before sm_80 do not have. */
__device__ static __forceinline__ uint32_t warp_redux(uint32_t x)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    return warp_shuffles(x);
#else
    return __reduce_add_sync(WHOLE_WARP, x);
#endif
}

/* add up the numbers of a block */
/* part: shared memory for a number of each warp.  Every thread of the
 * block calls it, and every thread gets the result. */
__device__ static __forceinline__ float block_sum(float x, float *part)
{
    x = warp_sum(x);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = x;
    __syncthreads();
    float sum = 0;
    for (unsigned w = 0; w < blockDim.x / 32; w++)
        sum += part[w];
    __syncthreads();                    /* part may be used again */
    return sum;
}

/* find the maximum of a block */
__device__ static __forceinline__ float block_max(float x, float *part)
{
    x = warp_max(x);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = x;
    __syncthreads();
    float most = part[0];
    for (unsigned w = 1; w < blockDim.x / 32; w++)
        most = fmaxf(most, part[w]);
    __syncthreads();
    return most;
}

#endif
