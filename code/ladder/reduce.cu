/* Tangled from chapters/workshop/measuring-reductions.nw, "Launches".  Edit it there. */

#include "ladder/reduce.h"

#include "ladder/blocks.cuh"
#include "ops/kernels/warp.cuh"

enum { THREADS = 256, WARPS = THREADS / 32 };

/* a branch taken by some lanes */
__global__ void branch(float *y, int bit, int rounds)
{
    float x = 1 + threadIdx.x * 1e-6f;
    if (threadIdx.x >> bit & 1) {
        for (int i = 0; i < rounds; i++)
            #pragma unroll
            for (int k = 0; k < 16; k++)
                x = fmaf(x, 0.999f, 1e-3f);
    } else {
        for (int i = 0; i < rounds; i++)
            #pragma unroll
            for (int k = 0; k < 16; k++)
                x = fmaf(-0.5f, x, x);
    }
    y[blockIdx.x * THREADS + threadIdx.x] = x;
}

/* add each number to the total */
__global__ void sum_atomic(float *sum, const float *x, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(sum, x[i]);
}

/* sum, version 1: neighbours */
__global__ void sum_v1(float *part, const float *x, size_t n)
{
    __shared__ float s[THREADS];
    /* load a number for each thread */
    const unsigned t = threadIdx.x;
    const size_t i = (size_t)blockIdx.x * blockDim.x + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        if (t % (2 * d) == 0)
            s[t] += s[t + d];
        __syncthreads();
    }
    /* let thread 0 write the sum of the block */
    if (t == 0)
        part[blockIdx.x] = s[0];
}

/* sum, version 2: the first threads work */
__global__ void sum_v2(float *part, const float *x, size_t n)
{
    __shared__ float s[THREADS];
    /* load a number for each thread */
    const unsigned t = threadIdx.x;
    const size_t i = (size_t)blockIdx.x * blockDim.x + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        const unsigned at = 2 * d * t;
        if (at < blockDim.x)
            s[at] += s[at + d];
        __syncthreads();
    }
    /* let thread 0 write the sum of the block */
    if (t == 0)
        part[blockIdx.x] = s[0];
}

/* sum, version 3: the upper half comes down */
__global__ void sum_v3(float *part, const float *x, size_t n)
{
    __shared__ float s[THREADS];
    /* load a number for each thread */
    const unsigned t = threadIdx.x;
    const size_t i = (size_t)blockIdx.x * blockDim.x + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    /* let thread 0 write the sum of the block */
    if (t == 0)
        part[blockIdx.x] = s[0];
}

/* sum, version 4: two numbers for a thread */
__global__ void sum_v4(float *part, const float *x, size_t n)
{
    __shared__ float s[THREADS];
    /* load two numbers for each thread */
    const unsigned t = threadIdx.x;
    const size_t i = (size_t)blockIdx.x * 2 * blockDim.x + t;
    s[t] = (i < n ? x[i] : 0) + (i + blockDim.x < n ? x[i + blockDim.x] : 0);
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    /* let thread 0 write the sum of the block */
    if (t == 0)
        part[blockIdx.x] = s[0];
}

/* sum, version 5: the last warp without barriers */
__global__ void sum_v5(float *part, const float *x, size_t n)
{
    __shared__ float s[THREADS];
    /* load two numbers for each thread */
    const unsigned t = threadIdx.x;
    const size_t i = (size_t)blockIdx.x * 2 * blockDim.x + t;
    s[t] = (i < n ? x[i] : 0) + (i + blockDim.x < n ? x[i + blockDim.x] : 0);
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 32; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t < 32)
        /* add up 64 numbers in the last warp */
        for (unsigned d = 32; d > 0; d /= 2) {
            const float both = s[t] + s[t + d];
            __syncwarp();               /* all have read ...    */
            s[t] = both;
            __syncwarp();               /* ... and have written */
        }
    /* let thread 0 write the sum of the block */
    if (t == 0)
        part[blockIdx.x] = s[0];
}

/* sum, version 6: the size is known */
template <unsigned BLOCK>
__global__ void sum_v6(float *part, const float *x, size_t n)
{
    __shared__ float s[BLOCK];
    /* load two numbers for each thread */
    const unsigned t = threadIdx.x;
    const size_t i = (size_t)blockIdx.x * 2 * blockDim.x + t;
    s[t] = (i < n ? x[i] : 0) + (i + blockDim.x < n ? x[i + blockDim.x] : 0);
    __syncthreads();
    /* add up in a tree of known size */
    #pragma unroll
    for (unsigned d = BLOCK / 2; d > 32; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t < 32)
        #pragma unroll
        /* add up 64 numbers in the last warp */
        for (unsigned d = 32; d > 0; d /= 2) {
            const float both = s[t] + s[t + d];
            __syncwarp();               /* all have read ...    */
            s[t] = both;
            __syncwarp();               /* ... and have written */
        }
    /* let thread 0 write the sum of the block */
    if (t == 0)
        part[blockIdx.x] = s[0];
}

/* sum, version 7: many numbers for a thread */
template <unsigned BLOCK>
__global__ void sum_v7(float *part, const float *x, size_t n)
{
    __shared__ float s[BLOCK];
    const unsigned t = threadIdx.x;
    float mine = 0;
    for (size_t i = (size_t)blockIdx.x * BLOCK + t; i < n;
         i += (size_t)gridDim.x * BLOCK)
        mine += x[i];
    s[t] = mine;
    __syncthreads();
    /* add up in a tree of known size */
    #pragma unroll
    for (unsigned d = BLOCK / 2; d > 32; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t < 32)
        #pragma unroll
        /* add up 64 numbers in the last warp */
        for (unsigned d = 32; d > 0; d /= 2) {
            const float both = s[t] + s[t + d];
            __syncwarp();               /* all have read ...    */
            s[t] = both;
            __syncwarp();               /* ... and have written */
        }
    /* let thread 0 write the sum of the block */
    if (t == 0)
        part[blockIdx.x] = s[0];
}

/* sum, version 8: shuffles */
__global__ void sum_v8(float *part, const float *x, size_t n)
{
    __shared__ float s[WARPS];
    float mine = 0;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (size_t)gridDim.x * THREADS)
        mine += x[i];
    mine = block_sum(mine, s);
    if (threadIdx.x == 0)
        part[blockIdx.x] = mine;
}

/* sum, version 9: 64 bytes in flight */
/* The sum of this thread's share: four float4 in each round while a full
 * round is left, then one float4 in each round, then at most one number. */
__device__ static float sum_of_thread(const float *x, size_t n)
{
    const size_t me = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const size_t all = (size_t)gridDim.x * THREADS;
    const float4 *x4 = (const float4 *)x;
    float sum[4] = {};
    size_t i = me;
    for (; i + 3 * all < n / 4; i += 4 * all) {
        float4 v[4];
        #pragma unroll
        for (int k = 0; k < 4; k++)
            v[k] = x4[i + k * all];
        #pragma unroll
        for (int k = 0; k < 4; k++)
            sum[k] += (v[k].x + v[k].y) + (v[k].z + v[k].w);
    }
    for (; i < n / 4; i += all)
        sum[0] += (x4[i].x + x4[i].y) + (x4[i].z + x4[i].w);
    if (me < n % 4)
        sum[1] += x[n - 1 - me];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

__global__ void sum_v9(float *part, const float *x, size_t n)
{
    __shared__ float s[WARPS];
    const float sum = block_sum(sum_of_thread(x, n), s);
    if (threadIdx.x == 0)
        part[blockIdx.x] = sum;
}

/* sum, version 10: one launch */
__device__ unsigned arrived;            /* blocks; 0 between launches */

__global__ void sum_v10(float *sum, const float *x, size_t n, float *part)
{
    __shared__ float s[WARPS];
    __shared__ bool last;
    float mine = block_sum(sum_of_thread(x, n), s);
    /* publish the sum of the block; find out if it is the last one */
    if (threadIdx.x == 0) {
        part[blockIdx.x] = mine;
        __threadfence();
        last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last)
        return;
    mine = 0;
    for (unsigned b = threadIdx.x; b < gridDim.x; b += THREADS)
        mine += ((volatile float *)part)[b];
    mine = block_sum(mine, s);
    if (threadIdx.x == 0)
        *sum = mine;
}

/* sums by atomic additions */
__global__ void sum_blocks(float *sum, const float *x, size_t n)
{
    __shared__ float s[WARPS];
    const float mine = block_sum(sum_of_thread(x, n), s);
    if (threadIdx.x == 0)
        atomicAdd(sum, mine);
}

__device__ static long long fixed(float x)
{
    return (long long)rintf(x * 0x1p32f);
}

/* Numbers as multiples of 2^-32, in 64 bits; |x| n < 2^31. */
__global__ void sum_fixed(unsigned long long *sum, const float *x, size_t n)
{
    const float4 *x4 = (const float4 *)x;
    const size_t me = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const size_t all = (size_t)gridDim.x * THREADS;
    long long mine = 0;
    for (size_t i = me; i < n / 4; i += all) {
        const float4 v = x4[i];
        mine += (fixed(v.x) + fixed(v.y)) + (fixed(v.z) + fixed(v.w));
    }
    if (me < n % 4)
        mine += fixed(x[n - 1 - me]);
    for (int d = 16; d > 0; d /= 2)
        mine += __shfl_xor_sync(WHOLE_WARP, mine, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, (unsigned long long)mine);
}

/* turn a fixed-point sum into fp32 */
/* The last kernel of the sum: one number out of 64 bits. */
__global__ void from_fixed(float *sum, const unsigned long long *fixed)
{
    *sum = (float)((double)(long long)*fixed * 0x1p-32);
}

/* sum up a warp by shuffles or by redux */
template <bool REDUX>
__global__ void sum_warps(uint32_t *y, int rounds)
{
    uint32_t x = threadIdx.x;
    for (int i = 0; i < rounds; i++)
        if (REDUX)
            x = warp_redux(x) + threadIdx.x;
        else
            x = warp_shuffles(x) + threadIdx.x;
    y[blockIdx.x * THREADS + threadIdx.x] = x;
}

/* launch the sums */
typedef void sum_kernel(float *part, const float *x, size_t n);

/* Sums of blocks, `each` numbers to a block, then sums of those. */
static void in_rounds(sum_kernel *kernel, size_t each, float *sum,
                      const float *x, size_t n, float *part)
{
    for (;;) {
        const size_t blocks = (n + each - 1) / each;
        float *to = blocks == 1 ? sum : part;
        kernel<<<(unsigned)blocks, THREADS>>>(to, x, n);
        CUDA_OK(cudaGetLastError());
        if (blocks == 1)
            return;
        x = part;
        n = blocks;
        part += (blocks + 3) / 4 * 4;           /* aligned again */
    }
}

enum { MOST_BLOCKS = 4096 };

/* Blocks that fill the GPU, but no more than there are numbers for. */
static unsigned filling(size_t n, size_t each)
{
    const size_t blocks = (n + each - 1) / each;
    const size_t full = 8 * multiprocessors();
    return (unsigned)(blocks < full ? blocks : full);
}

/* A sum for each of those blocks, then a block that adds them up. */
static void in_two(sum_kernel *kernel, size_t each, float *sum,
                   const float *x, size_t n, float *part)
{
    const unsigned blocks = filling(n, each);
    kernel<<<blocks, THREADS>>>(part, x, n);
    CUDA_OK(cudaGetLastError());
    kernel<<<1, THREADS>>>(sum, part, blocks);
    CUDA_OK(cudaGetLastError());
}

#define ROUNDS(name, kernel, each)                                     \
    static void name(float *sum, const float *x, size_t n, float *part) \
    {                                                                  \
        in_rounds(kernel, each, sum, x, n, part);                      \
    }
#define TWO(name, kernel, each)                                        \
    static void name(float *sum, const float *x, size_t n, float *part) \
    {                                                                  \
        in_two(kernel, each, sum, x, n, part);                         \
    }
ROUNDS(v1, sum_v1, THREADS)
ROUNDS(v2, sum_v2, THREADS)
ROUNDS(v3, sum_v3, THREADS)
ROUNDS(v4, sum_v4, 2 * THREADS)
ROUNDS(v5, sum_v5, 2 * THREADS)
ROUNDS(v6, sum_v6<THREADS>, 2 * THREADS)
TWO(v7, sum_v7<THREADS>, THREADS)
TWO(v8, sum_v8, THREADS)
TWO(v9, sum_v9, 16 * THREADS)

static void v10(float *sum, const float *x, size_t n, float *part)
{
    sum_v10<<<filling(n, 16 * THREADS), THREADS>>>(sum, x, n, part);
    CUDA_OK(cudaGetLastError());
}

static void atomic(float *sum, const float *x, size_t n, float *)
{
    CUDA_OK(cudaMemsetAsync(sum, 0, sizeof *sum, 0));
    sum_atomic<<<(unsigned)((n + THREADS - 1) / THREADS), THREADS>>>(
        sum, x, n);
    CUDA_OK(cudaGetLastError());
}

static void blocks(float *sum, const float *x, size_t n, float *)
{
    CUDA_OK(cudaMemsetAsync(sum, 0, sizeof *sum, 0));
    sum_blocks<<<filling(n, 16 * THREADS), THREADS>>>(sum, x, n);
    CUDA_OK(cudaGetLastError());
}

static void in_fixed(float *sum, const float *x, size_t n, float *part)
{
    unsigned long long *whole = (unsigned long long *)part;
    CUDA_OK(cudaMemsetAsync(whole, 0, sizeof *whole, 0));
    sum_fixed<<<filling(n, 16 * THREADS), THREADS>>>(whole, x, n);
    CUDA_OK(cudaGetLastError());
    from_fixed<<<1, 1>>>(sum, whole);
    CUDA_OK(cudaGetLastError());
}

const struct Sum *sums(void)
{
    static const struct Sum ladder[] = {
        { "atomic", atomic, true },
        { "v1", v1, false }, { "v2", v2, false }, { "v3", v3, false },
        { "v4", v4, false }, { "v5", v5, false },
        { "v6", v6, false }, { "v7", v7, false }, { "v8", v8, false },
        { "v9", v9, false }, { "v10", v10, false },
        { "blocks", blocks, true }, { "fixed", in_fixed, false },
        { NULL, NULL, false },
    };
    return ladder;
}

size_t sum_workspace(size_t n)
{
    return MOST_BLOCKS + n / (THREADS - 1) + 64;
}

void branch_by(float *y, int blocks, int bit, int rounds)
{
    branch<<<blocks, THREADS>>>(y, bit, rounds);
    CUDA_OK(cudaGetLastError());
}

void warp_sums(uint32_t *y, int blocks, int rounds, bool redux)
{
    if (redux)
        sum_warps<true><<<blocks, THREADS>>>(y, rounds);
    else
        sum_warps<false><<<blocks, THREADS>>>(y, rounds);
    CUDA_OK(cudaGetLastError());
}
