/* Tangled from chapters/gpt2/operators-on-the-gpu.nw, "A block for each row: the loss".  Edit it there. */

#include <assert.h>
#include "ops/fp32/fp32.h"
#include "ops/kernels/common.cuh"
#include "ops/operators.h"

/* crossentropy forward: a block per row */
/* loss[n] = lse[n] - logits[n, targets[n]], one block per row.
 *   launch    N blocks of up to 256        shared  32 bytes
 *   moves     4 NV bytes the first time, and 4 NV the second, unless
 *             all rows that are worked on at a time stay in L2
 *   ceiling   memory
 *   numerics  the row's maximum is taken out before exp */
__global__ void crossentropy_fwd_kernel(float *loss, float *lse,
                                        const float *logits,
                                        const int32_t *targets, int V)
{
    __shared__ float part[WARPS];
    const size_t n = blockIdx.x;
    const float *x = logits + n * V;
    /* m, log_sum = the row's maximum and log(sum of exp(x - m)) */
    float m = -INFINITY, sum = 0;
    for (int v = threadIdx.x; v < V; v += blockDim.x)
        m = fmaxf(m, x[v]);
    m = block_max(m, part);
    for (int v = threadIdx.x; v < V; v += blockDim.x)
        sum += vexp(x[v] - m);
    const float log_sum = vlog(block_sum(sum, part));
    if (threadIdx.x == 0) {
        lse[n] = m + log_sum;
        loss[n] = (m - x[targets[n]]) + log_sum;
    }
}

/* crossentropy backward: a block per row */
/* dlogits[n,:] = scale (softmax(logits[n,:]) - one at the target).
 *   launch    N blocks of up to 256
 *   moves     8 NV bytes                   ceiling   memory */
__global__ void crossentropy_bwd_kernel(float *dlogits,
                                        const float *logits,
                                        const float *lse,
                                        const int32_t *targets,
                                        float scale, int V)
{
    const size_t n = blockIdx.x;
    const int target = targets[n];
    const float l = lse[n];
    for (int v = threadIdx.x; v < V; v += blockDim.x) {
        const float p = vexp(logits[n * V + v] - l);
        dlogits[n * V + v] = scale * (v == target ? p - 1 : p);
    }
}

/* launch crossentropy */
void cuda_crossentropy_fwd(real *loss, real *lse, const real *logits,
                           const int32_t *targets, int N, int V, int Vp)
{
    if (fp32_crossentropy_fwd(loss, lse, logits, targets, N, V, Vp))
        return;
    assert(Vp == V);
    profile_range("loss");
    crossentropy_fwd_kernel<<<N, threads_for(V), 0, backend_stream()>>>(
        loss, lse, logits, targets, V);
    LAUNCHED();
}

void cuda_crossentropy_bwd(real *dlogits, const real *logits,
                           const real *lse, const int32_t *targets,
                           real scale, int N, int V, int Vp)
{
    if (fp32_crossentropy_bwd(dlogits, logits, lse, targets, scale, N, V,
                              Vp))
        return;
    assert(Vp == V);
    profile_range("loss bwd");
    crossentropy_bwd_kernel<<<N, threads_for(V), 0, backend_stream()>>>(
        dlogits, logits, lse, targets, scale, V);
    LAUNCHED();
}
