/* Tangled from chapters/gpt2/operators-on-the-gpu.nw, "A block for each token: the embedding".  Edit it there. */

#include "ops/embedding/embedding.h"
#include "ops/fp32/fp32.h"
#include "ops/kernels/common.cuh"
#include "ops/operators.h"

/* embedding forward: a block per position */
/* x[n,:] = wte[tokens[n],:] + wpe[n mod T,:], one block per position.
 *   launch    N blocks of up to 256
 *   moves     12 NC + 4N bytes at most     ceiling   memory */
__global__ void embedding_fwd_kernel(float *x, const int32_t *tokens,
                                     const float *wte, const float *wpe,
                                     int T, int C)
{
    const size_t n = blockIdx.x;
    const float *e = wte + (size_t)tokens[n] * C;
    const float *p = wpe + n % T * C;
    for (int c = threadIdx.x; c < C; c += blockDim.x)
        x[n * C + c] = e[c] + p[c];
}

/* link equal tokens */
/* next[n] = the position of the next token equal to tokens[n], or N;
 * later[m] = 1 if there is an equal one before m (0 before the launch).
 *   launch    a warp per position, 8 in a block
 *   moves     8N bytes, and reads tokens again and again out of L1 */
__global__ void embedding_link(int *next, int *later,
                               const int32_t *tokens, int N)
{
    const int lane = threadIdx.x % 32;
    const int n = blockIdx.x * WARPS + threadIdx.x / 32;
    if (n >= N)
        return;
    /* found = the next position with the token of n */
    const int32_t mine = tokens[n];
    int found = N;
    #pragma unroll 1
    for (int m = n + 1; m < N; m += 32) {
        const bool same = m + lane < N && tokens[m + lane] == mine;
        const unsigned which = __ballot_sync(WHOLE_WARP, same);
        if (which) {
            found = m + __ffs(which) - 1;
            break;
        }
    }
    /* write it down, and mark it */
    if (lane == 0) {
        next[n] = found;
        if (found < N)
            later[found] = 1;
    }
}

/* embedding backward: a block per chain */
/* dwte[v,:] += dx[n,:] for all n with token v, in order of n: the block of
 * the first of them walks the chain, the others have nothing to do.
 *   launch    N blocks of up to 256
 *   moves     4 NC + 8 C bytes for each token that occurs, + 12 N */
__global__ void embedding_bwd_wte(float *dwte, const float *dx,
                                  const int32_t *tokens, const int *next,
                                  const int *later, int N, int C)
{
    const int first = blockIdx.x;
    if (later[first])
        return;
    float *to = dwte + (size_t)tokens[first] * C;
    /* add the rows of the chain, each thread in its columns */
    for (int c = threadIdx.x; c < C; c += blockDim.x) {
        float sum = to[c];
        #pragma unroll 1
        for (int n = first; n < N; n = next[n])
            sum += dx[(size_t)n * C + c];
        to[c] = sum;
    }
}

/* dwpe[t,:] += dx[b,t,:] for b = 0, 1, ...
 *   launch    T blocks of up to 256        moves  4 NC + 8 TC bytes */
__global__ void embedding_bwd_wpe(float *dwpe, const float *dx, int N,
                                  int T, int C)
{
    const int t = blockIdx.x;
    for (int c = threadIdx.x; c < C; c += blockDim.x) {
        float sum = dwpe[(size_t)t * C + c];
        for (size_t n = t; n < (size_t)N; n += T)
            sum += dx[n * C + c];
        dwpe[(size_t)t * C + c] = sum;
    }
}

/* launch embedding */
void cuda_embedding_fwd(real *x, const int32_t *tokens, const real *wte,
                        const real *wpe, int B, int T, int C)
{
    profile_range("embedding");
    embedding_fwd_kernel<<<blocks_for((size_t)B * T, 1), threads_for(C),
                           0, backend_stream()>>>(x, tokens, wte, wpe, T,
                                             C);
    LAUNCHED();
}

static void chains(real *dwte, const real *dx, const int32_t *tokens,
                   int N, int C)
{
    int *next = (int *)backend_scratch(2 * sizeof(int) * N);
    if (!next)
        return;
    int *later = next + N;
    CUDA_TRY(cudaMemsetAsync(later, 0, sizeof(int) * N, backend_stream()));
    embedding_link<<<blocks_for(N, WARPS), THREADS, 0,
                     backend_stream()>>>(next, later, tokens, N);
    LAUNCHED();
    embedding_bwd_wte<<<N, threads_for(C), 0, backend_stream()>>>(
        dwte, dx, tokens, next, later, N, C);
    LAUNCHED();
}

void cuda_embedding_bwd(real *dwte, real *dwpe, const real *dx,
                        const int32_t *tokens, int B, int T, int C)
{
    profile_range("embedding bwd");
    if (!fp32_embedding_bwd(dwte, dx, tokens, B * T, C))
        chains(dwte, dx, tokens, B * T, C);
    embedding_bwd_wpe<<<T, threads_for(C), 0, backend_stream()>>>(
        dwpe, dx, B * T, T, C);
    LAUNCHED();
}
