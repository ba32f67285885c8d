/* Chapter 18b, Fused operators: 18b.7 The embedding */
/* Tangled from chapters/18b-fused-operators.nw by `make tangle`; edit it there. */

#include "ops/embedding16.h"
#include "ops/gpu.h"

/* embedding16 forward: a thread per pack (18b.7) */
/* x[n,:] = wte[tokens[n],:] + wpe[n mod T,:]
 *   launch    a thread for each of N C / W packs */
template <int W>
__global__ void embedding16_fwd_kernel(bf16 *x, const int32_t *tokens,
                                       const bf16 *wte, const bf16 *wpe,
                                       int N, int T, int C)
{
    const unsigned packs = C / W;
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const size_t n = i / packs;
    const int c = W * (int)(i % packs);
    if (n >= (size_t)N)
        return;
    float v[W], u[W];
    pack_get(v, pack_load<W>(wte + (size_t)tokens[n] * C + c));
    pack_get(u, pack_load<W>(wpe + n % T * C + c));
    for (int k = 0; k < W; k++)
        v[k] += u[k];
    Pack<W> pack;
    pack_put(&pack, v);
    pack_store(x + n * C + c, pack);
}

/* embedding16 backward (18b.7) */
/* dwte[v,:] += dx[n,:] for all n with token v, a block per v */
__global__ void embedding16_bwd_wte(float *dwte, const bf16 *dx,
                                    const int32_t *tokens, int N, int C)
{
    const int v = blockIdx.x, lane = threadIdx.x;
    for (int n = 0; n < N; n += 32) {
        unsigned which = __ballot_sync(WHOLE_WARP, n + lane < N &&
                                       tokens[min(n + lane, N - 1)] == v);
        for (; which; which &= which - 1) {
            const size_t k = n + __ffs(which) - 1;
            for (int c = lane; c < C; c += 32)
                dwte[(size_t)v * C + c] += bf16_to_float(dx[k * C + c]);
        }
    }
}

/* dwpe[t,:] += dx[b,t,:] for b = 0, 1, ..., a block per t */
__global__ void embedding16_bwd_wpe(float *dwpe, const bf16 *dx, int N,
                                    int T, int C)
{
    const int t = blockIdx.x;
    for (int c = threadIdx.x; c < C; c += blockDim.x) {
        float sum = 0;
        for (size_t n = t; n < (size_t)N; n += T)
            sum += bf16_to_float(dx[n * C + c]);
        dwpe[(size_t)t * C + c] += sum;
    }
}

/* launch embedding16 (18b.7) */
void embedding16_fwd(bf16 *x, const int32_t *tokens, const bf16 *wte,
                     const bf16 *wpe, int B, int T, int C)
{
    const int W = C % 8 == 0 ? 8 : 1, N = B * T;
    const unsigned blocks = blocks_for((size_t)N * (C / W), THREADS);
    if (W == 8)
        embedding16_fwd_kernel<8><<<blocks, THREADS, 0, machine_stream>>>(
            x, tokens, wte, wpe, N, T, C);
    else
        embedding16_fwd_kernel<1><<<blocks, THREADS, 0, machine_stream>>>(
            x, tokens, wte, wpe, N, T, C);
    LAUNCHED();
}

void embedding16_bwd(float *dwte, float *dwpe, const bf16 *dx,
                     const int32_t *tokens, int B, int T, int C, int V)
{
    embedding16_bwd_wte<<<V, 32, 0, machine_stream>>>(dwte, dx, tokens,
                                                     B * T, C);
    LAUNCHED();
    embedding16_bwd_wpe<<<T, threads_for(C), 0, machine_stream>>>(
        dwpe, dx, B * T, T, C);
    LAUNCHED();
}
