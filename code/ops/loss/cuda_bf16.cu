/* Tangled from chapters/workshop/fused-details.nw, "The classifier".  Edit it there. */

#include "ops/kernels/common.cuh"
#include "ops/kernels/ptx.cuh"
#include "ops/loss/classifier_bf16.h"
#include "ops/loss/max_and_sum.cuh"
#include "ops/operators.h"

/* classifier_bf16: logits in, gradients out */
/* The numbers of a pack that starts at column c; -inf from V on. */
template <int W>
__device__ static __forceinline__ void logits_get(float *v, Pack<W> pack,
                                                  int c, int V)
{
    pack_get(v, pack);
    if (c + W > V) {
        #pragma unroll
        for (int i = 0; i < W; i++)
            v[i] = c + i < V ? v[i] : -INFINITY;
    }
}

/* v, logits, become gradients: e^(v - m) 2^factor, less scale at the
 * target; zero from V on. */
template <int W>
__device__ static __forceinline__ void gradient_of(float *v, float m,
                                                   float factor, int at,
                                                   float scale)
{
    #pragma unroll
    for (int i = 0; i < W; i++)
        v[i] = fast_exp2(fmaf(v[i] - m, LOG2E, factor));
    if (at >= 0 && at < W) {
        #pragma unroll
        for (int i = 0; i < W; i++)
            v[i] -= i == at ? scale : 0;
    }
}

/* classifier_bf16: rows of any length */
/* For rows of any length.
 *   launch    N blocks of 1,024
 *   moves     2 NV bytes, with gradient another 2 NV from L2 or from
 *             memory, and 2 NVp out */
template <int W>
__global__ void classifier_bf16_kernel(float *losses, bf16 *logits,
                                       const int32_t *targets, float scale,
                                       int V, int Vp, bool gradient)
{
    __shared__ float part[2][32];
    /* this block's row, and the logit of its target */
    const size_t n = blockIdx.x;
    const int target = targets[n];
    bf16 *row = logits + n * Vp;
    const float at_target = bf16_to_float(row[target]);
    float m = LOWEST, sum = 0, v[W];
    /* read the row: its maximum, its sum, its loss */
    for (int c = W * threadIdx.x; c < V; c += W * blockDim.x) {
        logits_get(v, pack_load<W>(row + c), c, V);
        take<W>(&m, &sum, v);
    }
    together(&m, &sum, part);
    if (threadIdx.x == 0)
        losses[n] = (m - at_target) + logf(sum);
    /* read it again, and write the gradient */
    const float factor = logf(scale / sum) * LOG2E;
    for (int c = W * threadIdx.x; gradient && c < Vp; c += W * blockDim.x) {
        Pack<W> pack = pack_load<W>(row + c);
        logits_get(v, pack, c, V);
        gradient_of<W>(v, m, factor, target - c, scale);
        pack_put(&pack, v);
        pack_store(row + c, pack);
    }
}

/* classifier_bf16: a block per row, kept in shared memory */
enum { KEPT_THREADS = 640 };

/* classifier_bf16: the kernel */
/* Each thread keeps the packs p = thread, thread + threads, ... of a row,
 * and asks for those of the block's next row as soon as it is done.
 *   launch    up to two blocks for each multiprocessor, of up to 640;
 *             *drawn is zero
 *   shared    2 Vp bytes, 100.6 KB for GPT-2: two blocks at a time
 *   moves     2 NVp bytes in, with gradient 2 NVp out
 *   ceiling   memory */
__global__ void __launch_bounds__(KEPT_THREADS, 2)
classifier_bf16_kept(float *losses, bf16 *logits, const int32_t *targets,
                     float scale, int N, int V, int Vp, bool gradient,
                     int *drawn)
{
    /* room for a row, in two halves */
    extern __shared__ uint4 kept[];
    __shared__ float part[2][2][32];
    __shared__ int behind[2];
    const int packs = Vp / 8;
    const int threads = blockDim.x, turns = (packs - 1) / threads + 1;
    const int half = min(turns / 2 * threads, packs);
    float v[8];
    /* ask for the block's first row */
    for (int h = 0; h < 2; h++) {
        const int end = h ? packs : half;
        for (int p = h * half + threadIdx.x; p < end; p += blockDim.x)
            cp_async(&kept[p], logits + (size_t)blockIdx.x * Vp + 8 * p);
        cp_async_commit();
    }
    int n = blockIdx.x, after = n + gridDim.x;
    for (int turn = 0; n < N; turn ^= 1) {
        /* work on row n, and ask for the row after it */
        bf16 *row = logits + (size_t)n * Vp;
        const bf16 *next = after < N ? logits + (size_t)after * Vp : NULL;

        /* find the maximum and the sum of the row */
        /* draw the row after the next */
        const int draw = threadIdx.x ? 0 : 2 * gridDim.x + atomicAdd(drawn, 1);
        const int target = targets[n];
        const float at_target = threadIdx.x ? 0 : bf16_to_float(row[target]);
        float m = LOWEST, sum = 0;

        /* walk over the row, half by half as it comes */
        #pragma unroll
        for (int h = 0; h < 2; h++) {
            const int end = h ? packs : half;
            cp_async_wait<1>();
            for (int p = h * half + threadIdx.x; p < end; p += blockDim.x) {
                logits_get(v, Pack<8>{ kept[p] }, 8 * p, V);
                take<8>(&m, &sum, v);
                if (!gradient && next)
                    cp_async(&kept[p], next + 8 * p);
            }
            if (!gradient || h == 0)
                cp_async_commit();
        }

        /* publish the row that was drawn */
        if (threadIdx.x == 0)
            behind[turn] = draw;
        together(&m, &sum, part[turn]);
        if (threadIdx.x == 0)
            losses[n] = (m - at_target) + logf(sum);
        if (gradient) {
            /* write the gradient, and ask for the next row */
            const float factor = logf(scale / sum) * LOG2E;
            for (int h = 0; h < 2; h++) {
                const int end = h ? packs : half;
                for (int p = h * half + threadIdx.x; p < end; p += blockDim.x) {
                    Pack<8> pack = { kept[p] };
                    logits_get(v, pack, 8 * p, V);
                    gradient_of<8>(v, m, factor, target - 8 * p, scale);
                    pack_put(&pack, v);
                    pack_store(row + 8 * p, pack);
                    if (next)
                        cp_async(&kept[p], next + 8 * p);
                }
                cp_async_commit();
            }
        }
        n = after;
        after = behind[turn];
    }
}

/* launch classifier_bf16 */
/* Is there shared memory for a row?  Then launch. */
static bool classify_kept(float *losses, bf16 *logits,
                          const int32_t *targets, float scale, int N,
                          int V, int Vp, bool gradient)
{
    static struct { int most, processors; } gpus[MOST_DEVICES];
    int &most = gpus[backend_device()].most;
    int &processors = gpus[backend_device()].processors;
    const size_t bytes = 2 * (size_t)Vp;
    if (!most) {
        /* find the multiprocessors and the largest shared memory */
        processors = gpu_attribute(cudaDevAttrMultiProcessorCount);
        most = gpu_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
        most -= 1024;                   /* part, and what CUDA needs */
        if (!allow_shared_memory(classifier_bf16_kept, most))
            most = 0;
    }
    if (Vp % 8 || bytes > (size_t)most)
        return false;
    /* choose threads and blocks */
    const int packs = Vp / 8;
    const int each = (packs + KEPT_THREADS - 1) / KEPT_THREADS;
    const int threads = ((packs + each - 1) / each + 31) / 32 * 32;
    const int blocks = 2 * processors < N ? 2 * processors : N;
    /* set the counter to zero and launch */
    int *drawn = (int *)backend_scratch(sizeof *drawn);
    if (!drawn)
        return true;                        /* the failure is kept */
    CUDA_TRY(cudaMemsetAsync(drawn, 0, sizeof *drawn, backend_stream()));
    classifier_bf16_kept<<<blocks, threads, bytes, backend_stream()>>>(
        losses, logits, targets, scale, N, V, Vp, gradient, drawn);
    return true;
}

void cuda_classifier_bf16(float *losses, bf16 *logits,
                          const int32_t *targets, float scale, int N, int V,
                          int Vp, bool gradient)
{
    if (classify_kept(losses, logits, targets, scale, N, V, Vp, gradient))
        ;
    else if (Vp % 8 == 0)
        classifier_bf16_kernel<8><<<N, 1024, 0, backend_stream()>>>(
            losses, logits, targets, scale, V, Vp, gradient);
    else
        classifier_bf16_kernel<1><<<N, 1024, 0, backend_stream()>>>(
            losses, logits, targets, scale, V, Vp, gradient);
    LAUNCHED();
}

/* the mean of the losses */
enum { SUMMERS = 1024 };

/* *mean = the mean of loss[0 .. N), or added to it, in double, in a fixed
 * order.       launch  1 block of 1,024       moves  4 N bytes */
__global__ void mean_kernel(double *mean, const float *loss, int N,
                            bool add)
{
    __shared__ double part[SUMMERS];
    double sum = 0;
    for (int n = threadIdx.x; n < N; n += SUMMERS)
        sum += loss[n];
    part[threadIdx.x] = sum;
    for (unsigned half = SUMMERS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        *mean = part[0] / N + (add ? *mean : 0);
}

void cuda_mean_loss(double *mean, const float *loss, int N, bool add)
{
    profile_range("losses");
    mean_kernel<<<1, SUMMERS, 0, backend_stream()>>>(mean, loss, N, add);
    LAUNCHED();
}
