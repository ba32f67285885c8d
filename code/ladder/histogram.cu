/* Tangled from chapters/workshop/measuring-reductions.nw, "Launches".  Edit it there. */

#include "ladder/histogram.h"

#include "ladder/blocks.cuh"
#include "ops/kernels/warp.cuh"

enum { BINS = 256, THREADS = 256, WARPS = THREADS / 32 };

/* walk over the bytes */
/* count(v) for this thread's share of x[0..n), 16 bytes at a time; the
 * last n % 16 are block 0's. */
template <typename F>
__device__ static void for_bytes(const uint8_t *x, size_t n, F count)
{
    const size_t me = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t all = (size_t)gridDim.x * blockDim.x;
    for (size_t i = me; i < n / 16; i += all) {
        const uint4 v = ((const uint4 *)x)[i];
        const uint32_t word[4] = { v.x, v.y, v.z, v.w };
        #pragma unroll
        for (int k = 0; k < 16; k++)
            count(word[k / 4] >> k % 4 * 8 & 255);
    }
    if (me < n % 16)
        count(x[n - 1 - me]);
}

/* histogram, version 1: counters in memory */
__global__ void histogram_v1(uint32_t *count, const uint8_t *x, size_t n)
{
    for_bytes(x, n, [&](uint32_t v) { atomicAdd(&count[v], 1); });
}

/* histogram, version 2: counters of a block */
__global__ void histogram_v2(uint32_t *count, const uint8_t *x, size_t n)
{
    __shared__ uint32_t s[BINS];
    s[threadIdx.x] = 0;
    __syncthreads();
    for_bytes(x, n, [&](uint32_t v) { atomicAdd(&s[v], 1); });
    __syncthreads();
    atomicAdd(&count[threadIdx.x], s[threadIdx.x]);
}

/* histogram, version 3: counters of a warp */
__global__ void histogram_v3(uint32_t *count, const uint8_t *x, size_t n)
{
    __shared__ uint32_t s[WARPS][BINS];
    uint32_t *own = s[threadIdx.x / 32], sum = 0;
    for (int w = 0; w < WARPS; w++)
        s[w][threadIdx.x] = 0;
    __syncthreads();
    for_bytes(x, n, [&](uint32_t v) { atomicAdd(&own[v], 1); });
    __syncthreads();
    for (int w = 0; w < WARPS; w++)
        sum += s[w][threadIdx.x];
    atomicAdd(&count[threadIdx.x], sum);
}

/* histogram, version 4: counters of a thread */
enum { OWN = 128 };                 /* threads of a block */

__global__ void histogram_v4(uint32_t *count, const uint8_t *x, size_t n)
{
    __shared__ uint32_t s[BINS][32];
    uint8_t *own = (uint8_t *)&s[0][threadIdx.x % 32] + threadIdx.x / 32;
    uint32_t sum[BINS / OWN] = {};
    /* clear all counters */
    for (int b = 0; b < BINS / (OWN / 32); b++)
        s[b * (OWN / 32) + threadIdx.x / 32][threadIdx.x % 32] = 0;
    __syncthreads();
    const size_t all = (size_t)gridDim.x * OWN * 16, most = 15;
    const size_t mine = ((size_t)blockIdx.x * OWN + threadIdx.x) * 16;
    for (size_t i = 0; i < n; ) {
        for (size_t k = 0; k < most && i < n; k++, i += all)
            /* count the 16 bytes at i + mine */
            if (i + mine + 15 < n) {
                const uint4 v = *(const uint4 *)(x + i + mine);
                const uint32_t word[4] = { v.x, v.y, v.z, v.w };
                #pragma unroll
                for (int b = 0; b < 16; b++)
                    own[(word[b / 4] >> b % 4 * 8 & 255) * OWN]++;
            } else {
                for (size_t b = i + mine; b < n; b++)
                    own[x[b] * OWN]++;
            }
        __syncthreads();
        /* add the block's counters to sum, and clear them */
        for (int b = 0; b < BINS / OWN; b++) {
            uint32_t *row = s[threadIdx.x + b * OWN];
            for (int j = 0; j < 32; j++) {
                const int lane = (j + threadIdx.x) % 32;
                const uint32_t four = row[lane];
                row[lane] = 0;
                sum[b] += (four & 255) + (four >> 8 & 255) + (four >> 16 & 255)
                        + (four >> 24);
            }
        }
        __syncthreads();
    }
    for (int b = 0; b < BINS / OWN; b++)
        atomicAdd(&count[threadIdx.x + b * OWN], sum[b]);
}

/* histogram, version 5: counters of a lane */
__global__ void histogram_v5(uint32_t *count, const uint8_t *x, size_t n)
{
    __shared__ uint32_t s[BINS][32];
    const unsigned t = threadIdx.x;
    uint32_t *own = &s[0][t % 32], sum = 0;
    for (int b = 0; b < 32; b++)
        s[b * WARPS + t / 32][t % 32] = 0;
    __syncthreads();
    for_bytes(x, n, [&](uint32_t v) { atomicAdd(&own[v * 32], 1); });
    __syncthreads();
    for (int j = 0; j < 32; j++)
        sum += s[t][(j + t) % 32];
    atomicAdd(&count[t], sum);
}

/* launch the histograms */
typedef void histogram_kernel(uint32_t *count, const uint8_t *x, size_t n);

/* On as many blocks as the GPU runs at a time. */
template <histogram_kernel *kernel, int threads>
static void launch(uint32_t *count, const uint8_t *x, size_t n)
{
    static const unsigned full = blocks_at_once((const void *)kernel,
                                                threads);
    const size_t needed = (n + 16 * threads - 1) / (16 * threads);
    CUDA_OK(cudaMemsetAsync(count, 0, BINS * sizeof *count, 0));
    const size_t blocks = needed < full ? needed : full;
    kernel<<<(unsigned)blocks, threads>>>(count, x, n);
    CUDA_OK(cudaGetLastError());
}

const struct Histogram *histograms(void)
{
    static const struct Histogram ladder[] = {
        { "v1", launch<histogram_v1, THREADS> },
        { "v2", launch<histogram_v2, THREADS> },
        { "v3", launch<histogram_v3, THREADS> },
        { "v4", launch<histogram_v4, OWN> },
        { "v5", launch<histogram_v5, THREADS> },
        { NULL, NULL },
    };
    return ladder;
}
