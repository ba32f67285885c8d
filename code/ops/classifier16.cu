/* Chapter 18b, Fused operators: 18b.6 The classifier */
/* Tangled from chapters/18b-fused-operators.nw by `make tangle`; edit it there. */

#include "ops/classifier16.h"
#include "ops/gpu.h"

/* classifier16: 2^x (18b.6) */
#define LOG2E 1.4426950408889634f

__device__ static __forceinline__ float fast_exp2(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* classifier16: a block per row (18b.6) */
template <int W>
__global__ void classifier16_kernel(float *losses, bf16 *logits,
                                    const int32_t *targets, float scale,
                                    int V, int Vp, bool gradient)
{
    __shared__ float part[32];
    const size_t n = blockIdx.x;
    const int target = targets[n];
    bf16 *row = logits + n * Vp;
    const float at_target = bf16_to_float(row[target]);
    float m = -3.402823466e38f, sum = 0, v[W];
    for (int c = W * threadIdx.x; c < V; c += W * blockDim.x) {
        pack_get(v, pack_load<W>(row + c));
        for (int i = 0; i < W && c + i < V; i++)
            m = fmaxf(m, v[i]);
    }
    m = block_max(m, part);
    for (int c = W * threadIdx.x; c < V; c += W * blockDim.x) {
        pack_get(v, pack_load<W>(row + c));
        for (int i = 0; i < W && c + i < V; i++)
            sum += fast_exp2((v[i] - m) * LOG2E);
    }
    sum = block_sum(sum, part);
    if (threadIdx.x == 0)
        losses[n] = (m - at_target) + logf(sum);
    if (!gradient)
        return;
    /* write the gradient of the row (18b.6) */
    const float over = 1 / sum;
    for (int c = W * threadIdx.x; c < Vp; c += W * blockDim.x) {
        pack_get(v, pack_load<W>(row + c));
        for (int i = 0; i < W; i++) {
            const float p = fast_exp2((v[i] - m) * LOG2E) * over;
            v[i] = c + i >= V ? 0 : scale * (c + i == target ? p - 1 : p);
        }
        Pack<W> pack;
        pack_put(&pack, v);
        pack_store(row + c, pack);
    }
}

/* launch classifier16 (18b.6) */
void classifier16(float *losses, bf16 *logits, const int32_t *targets,
                  float scale, int N, int V, int Vp, bool gradient)
{
    if (Vp % 8 == 0)
        classifier16_kernel<8><<<N, 1024, 0, machine_stream>>>(
            losses, logits, targets, scale, V, Vp, gradient);
    else
        classifier16_kernel<1><<<N, 1024, 0, machine_stream>>>(
            losses, logits, targets, scale, V, Vp, gradient);
    LAUNCHED();
}
