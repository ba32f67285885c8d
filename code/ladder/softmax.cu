/* Tangled from chapters/workshop/attention-plumbing.nw, "The ladder of softmax".  Edit it there. */

#include <float.h>
#include <limits.h>
#include "backend/cuda.h"
#include "ladder/softmax.h"
#include "ops/kernels/common.cuh"
#include "ops/kernels/ptx.cuh"

enum { BLOCK = 512 };       /* threads for a row; twice that in version 4 */

/* softmax v1: read a row three times */
__global__ void softmax_v1(float *y, const float *x, int C)
{
    __shared__ float part[32];
    x += (size_t)blockIdx.x * C;
    y += (size_t)blockIdx.x * C;
    float row_max = -INFINITY, sum = 0;
    for (int c = threadIdx.x; c < C; c += BLOCK)
        row_max = fmaxf(row_max, x[c]);
    row_max = block_max(row_max, part);
    for (int c = threadIdx.x; c < C; c += BLOCK)
        sum += fast_exp2((x[c] - row_max) * LOG2E);
    const float scale = 1 / block_sum(sum, part);
    for (int c = threadIdx.x; c < C; c += BLOCK)
        y[c] = fast_exp2((x[c] - row_max) * LOG2E) * scale;
}

/* update a running maximum and sum */
/* Add x to a running maximum and to the running sum of exp(x - row_max). */
__device__ static __forceinline__ void update(float *row_max, float *sum,
                                               float x)
{
    const float top = fmaxf(*row_max, x);
    *sum = fmaf(*sum, fast_exp2((*row_max - top) * LOG2E),
                fast_exp2((x - top) * LOG2E));
    *row_max = top;
}

/* merge the maxima and sums of a block */
/* 1 / the sum of the block's threads, each scaled to the common maximum,
 * which takes the place of the thread's own */
__device__ static __forceinline__ float merge(float *row_max, float sum,
                                              float *part)
{
    const float top = block_max(*row_max, part);
    sum *= fast_exp2((*row_max - top) * LOG2E);
    *row_max = top;
    return 1 / block_sum(sum, part);
}

/* softmax v2: keep a running sum */
__global__ void softmax_v2(float *y, const float *x, int C)
{
    __shared__ float part[32];
    x += (size_t)blockIdx.x * C;
    y += (size_t)blockIdx.x * C;
    float row_max = -FLT_MAX, sum = 0;
    for (int c = threadIdx.x; c < C; c += BLOCK)
        update(&row_max, &sum, x[c]);
    const float scale = merge(&row_max, sum, part);
    for (int c = threadIdx.x; c < C; c += BLOCK)
        y[c] = fast_exp2((x[c] - row_max) * LOG2E) * scale;
}

/* softmax v3: keep the row in shared memory */
__global__ void softmax_v3(float *y, const float *x, int C)
{
    __shared__ float part[32];
    extern __shared__ float row[];
    x += (size_t)blockIdx.x * C;
    y += (size_t)blockIdx.x * C;
    float row_max = -FLT_MAX, sum = 0;
    for (int c = threadIdx.x; c < C; c += BLOCK)
        update(&row_max, &sum, row[c] = x[c]);
    const float scale = merge(&row_max, sum, part);
    for (int c = threadIdx.x; c < C; c += BLOCK)
        y[c] = fast_exp2((row[c] - row_max) * LOG2E) * scale;
}

/* softmax v4: load 16 bytes at a time */
__global__ void softmax_v4(float4 *y, const float4 *x, int C4)
{
    __shared__ float part[32];
    extern __shared__ float4 row4[];
    x += (size_t)blockIdx.x * C4;
    y += (size_t)blockIdx.x * C4;
    float row_max = -FLT_MAX, sum = 0;
    #pragma unroll 4
    for (int c = threadIdx.x; c < C4; c += 2 * BLOCK) {
        const float4 v = row4[c] = x[c];
        /* add four numbers to the running sum */
        const float first = fmaxf(v.x, v.y), second = fmaxf(v.z, v.w);
        const float top = fmaxf(row_max, fmaxf(first, second));
        sum *= fast_exp2((row_max - top) * LOG2E);
        sum += (fast_exp2((v.x - top) * LOG2E)
                + fast_exp2((v.y - top) * LOG2E))
             + (fast_exp2((v.z - top) * LOG2E)
                + fast_exp2((v.w - top) * LOG2E));
        row_max = top;
    }
    const float scale = merge(&row_max, sum, part);
    /* write the row, 16 bytes at a time */
    for (int c = threadIdx.x; c < C4; c += 2 * BLOCK) {
        float4 v = row4[c];
        v.x = fast_exp2((v.x - row_max) * LOG2E) * scale;
        v.y = fast_exp2((v.y - row_max) * LOG2E) * scale;
        v.z = fast_exp2((v.z - row_max) * LOG2E) * scale;
        v.w = fast_exp2((v.w - row_max) * LOG2E) * scale;
        y[c] = v;
    }
}

/* launch a softmax */
static void launch_v1(float *y, const float *x, int N, int C)
{
    softmax_v1<<<N, BLOCK>>>(y, x, C);
    CUDA_OK(cudaGetLastError());
}

static void launch_v2(float *y, const float *x, int N, int C)
{
    softmax_v2<<<N, BLOCK>>>(y, x, C);
    CUDA_OK(cudaGetLastError());
}

/* More than 48 KB of shared memory have to be asked for. */
static size_t row_bytes(const void *kernel, int C)
{
    const size_t bytes = C * sizeof(float);
    if (bytes > 48 * 1024)
        CUDA_OK(cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
            (int)bytes));
    return bytes;
}

static void launch_v3(float *y, const float *x, int N, int C)
{
    const size_t bytes = row_bytes((const void *)softmax_v3, C);
    softmax_v3<<<N, BLOCK, bytes>>>(y, x, C);
    CUDA_OK(cudaGetLastError());
}

static void launch_v4(float *y, const float *x, int N, int C)
{
    if (C % 4) {                        /* rows not aligned to 16 bytes */
        launch_v3(y, x, N, C);
        return;
    }
    const size_t bytes = row_bytes((const void *)softmax_v4, C);
    softmax_v4<<<N, 2 * BLOCK, bytes>>>((float4 *)y, (const float4 *)x,
                                       C / 4);
    CUDA_OK(cudaGetLastError());
}

const struct Softmax *softmaxes(void)
{
    static const struct Softmax ladder[] = {
        { "v1", launch_v1, INT_MAX, 4 },
        { "v2", launch_v2, INT_MAX, 3 },
        { "v3", launch_v3, 56 * 1024, 2 },
        { "v4", launch_v4, 56 * 1024, 2 },
        { NULL, NULL, 0, 0 },
    };
    return ladder;
}
