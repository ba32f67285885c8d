/* Tangled from chapters/workshop/inference-plumbing.nw, "Attention over a cache".  Edit it there. */

#include "ops/attention/cached.h"
#include "ops/kernels/common.cuh"
#include "ops/operators.h"

/* store keys and values on a GPU */
/* launch    C/256 x N blocks of 256 threads
 * moves     16 NC bytes                 ceiling   memory */
__global__ void cache_store(float *keys, float *values, const float *qkv,
                            const int *row, const int *at, int T, int C,
                            int HS)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x, n = blockIdx.y;
    if (c >= C)
        return;
    const size_t C_ = C, begin = row[n] * T * C_ + c / HS * HS * (size_t)T;
    const float *from = qkv + n * 3 * C_ + c;
    keys[begin + c % HS * (size_t)T + at[n]] = from[C];
    values[begin + at[n] * (size_t)HS + c % HS] = from[2 * C_];
}


/* attend to the cache on a GPU */
/* launch    N NH blocks of a warp       shared    4 (2 HS + 32) bytes
 * moves     8 (at + 1) HS bytes a warp
 * ceiling   latency: a warp has one tile in flight.  The kernel of
 *           bf16 models splits the positions among blocks */
__global__ void cache_attend(float *y, const float *keys,
                             const float *values, const float *qkv,
                             const int *row, const int *at, int T, int C,
                             int HS, float scale)
{
    extern __shared__ float shared[];
    float *q = shared, *out = q + HS, *p = out + HS;
    const int lane = threadIdx.x, n = blockIdx.x, c = blockIdx.y * HS;
    const size_t begin = (row[n] * (size_t)C + c) * T;
    const float *k = keys + begin, *v = values + begin;
    float most = -INFINITY, sum = 0;
    for (int d = lane; d < HS; d += 32) {
        q[d] = qkv[n * 3 * (size_t)C + c + d];
        out[d] = 0;
    }
    __syncwarp();
    for (int u = 0; u <= at[n]; u += 32) {
        /* add the tile of positions from u on */
        const bool seen = u + lane <= at[n];
        float s = 0;
        for (int d = 0; d < HS; d++)
            s = fmaf(q[d], seen ? k[d * (size_t)T + u + lane] : 0, s);
        s = seen ? s * scale : -INFINITY;
        const float now = fmaxf(most, warp_max(s));
        s = vexp(s - now);
        const float keep = vexp(most - now);
        sum = fmaf(sum, keep, warp_sum(s));
        most = now;
        p[lane] = s;
        __syncwarp();

        /* rescale the result, and add 32 values */
        const int tile = min(32, at[n] + 1 - u);
        for (int d = lane; d < HS; d += 32) {
            float x = keep * out[d];
            for (int i = 0; i < tile; i++)
                x = fmaf(p[i], v[(u + i) * (size_t)HS + d], x);
            out[d] = x;
        }
        __syncwarp();
    }
    for (int d = lane; d < HS; d += 32)
        y[n * (size_t)C + c + d] = out[d] / sum;
}

void cuda_attention_cached(real *y, const struct Cache *cache,
                           const real *qkv, const int32_t *row,
                           const int32_t *at, int N, int C, int NH)
{
    const int HS = C / NH, T = cache->T;
    const size_t shared = (2 * (size_t)HS + 32) * sizeof(float);
    profile_range("attention");
    cache_store<<<dim3(blocks_for(C, THREADS), N), THREADS, 0,
                  backend_stream()>>>(cache->keys, cache->values, qkv, row,
                                      at, T, C, HS);
    LAUNCHED();
    if (!allow_shared_memory(cache_attend, shared))
        return;
    cache_attend<<<dim3(N, NH), 32, shared, backend_stream()>>>(
        y, cache->keys, cache->values, qkv, row, at, T, C, HS,
        1 / sqrtf((float)HS));
    LAUNCHED();
}
