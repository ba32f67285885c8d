/* Chapter 18b, Fused operators: 18b.2 LayerNorm forward */
/* Tangled from chapters/18b-fused-operators.nw by `make tangle`; edit it there. */

#include "ops/columns16.h"
#include "ops/gpu.h"
#include "ops/layernorm.h"
#include "ops/layernorm16.h"

/* layernorm16 forward: a warp per row, the row in registers (18b.2) */
/* y[n,:] = (x[n,:] - mean[n]) rstd[n] w + b, one warp per row.  With ADD,
 * x is x + add, which is also written to sum.
 *   launch    ceil(N / 8) blocks of 8 warps
 *   needs     C <= 32 W STEPS              ceiling   memory */
template <int W, int STEPS, bool ADD>
__global__ void layernorm16_fwd_kernel(bf16 *sum, bf16 *y, float *mean,
                                       float *rstd, const bf16 *x,
                                       const bf16 *add, const bf16 *w,
                                       const bf16 *b, int N, int C)
{
    const int lane = threadIdx.x % 32;
    const int n = blockIdx.x * WARPS + threadIdx.x / 32;
    if (n >= N)
        return;                         /* a warp leaves whole */
    const size_t at = (size_t)n * C;
    Pack<W> row[STEPS];     /* row[s] = x[n, W (32 s + lane) ...]      */
    float v[W], u[W];
    /* read row n (18b.2) */
    #pragma unroll
    for (int s = 0; s < STEPS; s++) {
        const int c = W * (32 * s + lane);
        if (c < C)
            row[s] = pack_load<W>(x + at + c);
    }
    if (ADD) {
        #pragma unroll
        for (int s = 0; s < STEPS; s++) {
            const int c = W * (32 * s + lane);
            if (c >= C)
                continue;
            pack_get(v, row[s]);
            pack_get(u, pack_load<W>(add + at + c));
            #pragma unroll
            for (int i = 0; i < W; i++)
                v[i] += u[i];
            pack_put(&row[s], v);
            pack_store(sum + at + c, row[s]);
        }
    }
    /* m, r = mean and 1 / standard deviation of the packs (18b.2) */
    float total = 0, squares = 0;
    #pragma unroll
    for (int s = 0; s < STEPS; s++) {
        if (W * (32 * s + lane) >= C)
            continue;
        pack_get(v, row[s]);
        #pragma unroll
        for (int i = 0; i < W; i++)
            total += v[i];
    }
    const float m = warp_sum(total) / C;
    #pragma unroll
    for (int s = 0; s < STEPS; s++) {
        if (W * (32 * s + lane) >= C)
            continue;
        pack_get(v, row[s]);
        #pragma unroll
        for (int i = 0; i < W; i++)
            squares = fmaf(v[i] - m, v[i] - m, squares);
    }
    const float r = 1 / sqrtf(warp_sum(squares) / C + LAYERNORM_EPS);
    /* write the normalised packs (18b.2) */
    #pragma unroll
    for (int s = 0; s < STEPS; s++) {
        const int c = W * (32 * s + lane);
        if (c >= C)
            continue;
        float g[W], h[W];
        pack_get(v, row[s]);
        pack_get(g, pack_load<W>(w + c));
        pack_get(h, pack_load<W>(b + c));
        #pragma unroll
        for (int i = 0; i < W; i++)
            v[i] = fmaf((v[i] - m) * r, g[i], h[i]);
        pack_put(&row[s], v);
        pack_store(y + at + c, row[s]);
    }
    if (lane == 0) {
        mean[n] = m;
        rstd[n] = r;
    }
}

/* launch layernorm16 forward (18b.2) */ \
#define FORWARD(W, STEPS)                                                \
    layernorm16_fwd_kernel<W, STEPS, ADD>                                \
        <<<blocks_for(N, WARPS), THREADS, 0, machine_stream>>>(           \
            sum, y, mean, rstd, x, add, w, b, N, C)

template <bool ADD>
static void forward(bf16 *sum, bf16 *y, float *mean, float *rstd,
                    const bf16 *x, const bf16 *add, const bf16 *w,
                    const bf16 *b, int N, int C)
{
    const bool packs = C % 8 == 0;
    const int steps = (C + 32 * 8 - 1) / (32 * 8);
    if (C > (packs ? 2048 : 1056))
        fail("layernorm16: rows of %d; it takes multiples of 8 up to "
             "2048, and others up to 1056", C);
    if (!packs)
        C <= 288 ? FORWARD(1, 9) : FORWARD(1, 33);
    else switch (steps) {
    case 1: FORWARD(8, 1); break;
    case 2: FORWARD(8, 2); break;
    case 3: FORWARD(8, 3); break;
    case 4: FORWARD(8, 4); break;
    case 5: FORWARD(8, 5); break;
    default: FORWARD(8, 8);
    }
    LAUNCHED();
}

/* launch layernorm16 forward, continued (18b.2) */
void layernorm16_fwd(bf16 *y, float *mean, float *rstd, const bf16 *x,
                     const bf16 *w, const bf16 *b, int N, int C)
{
    forward<false>(NULL, y, mean, rstd, x, NULL, w, b, N, C);
}

void residual_layernorm16_fwd(bf16 *sum, bf16 *y, float *mean,
                              float *rstd, const bf16 *x,
                              const bf16 *add, const bf16 *w,
                              const bf16 *b, int N, int C)
{
    forward<true>(sum, y, mean, rstd, x, add, w, b, N, C);
}

/* layernorm16 backward: a thread per pack of columns (18b.3) */
enum { ROWS = 4, ROW_WARPS = 32 };      /* rows at a time; warps, at most */

/* sums over a warp of eight numbers at a time (18b.3) */
/* Lane l gets the sum over the warp of v[l / 4].  Each step halves what
 * is left: half of the lanes go on with half of the numbers. */
__device__ static __forceinline__ float warp_sum_8(const float v[8])
{
    const int lane = threadIdx.x % 32;
    float a[4], b[2], c;
    #pragma unroll
    for (int i = 0; i < 4; i++) {
        const float keep = lane & 16 ? v[i + 4] : v[i];
        const float give = lane & 16 ? v[i] : v[i + 4];
        a[i] = keep + __shfl_xor_sync(WHOLE_WARP, give, 16);
    }
    #pragma unroll
    for (int i = 0; i < 2; i++) {
        const float keep = lane & 8 ? a[i + 2] : a[i];
        const float give = lane & 8 ? a[i] : a[i + 2];
        b[i] = keep + __shfl_xor_sync(WHOLE_WARP, give, 8);
    }
    c = (lane & 4 ? b[1] : b[0])
      + __shfl_xor_sync(WHOLE_WARP, lane & 4 ? b[0] : b[1], 4);
    c += __shfl_xor_sync(WHOLE_WARP, c, 2);
    return c + __shfl_xor_sync(WHOLE_WARP, c, 1);
}

/* dx, and for each block the partial sums over its rows of the gradients
 * of w and b, and of dx: part[block][0 .. 2][C].
 *   launch    any number of blocks of ceil(C / W) threads; block k takes
 *             the ROWS rows from ROWS k, ROWS (k + blocks), ...
 *   shared    48 W bytes a thread, for rows on their way
 *   moves     8 NC + 8 N + 12 C blocks bytes        ceiling   memory */
template <int W>
__global__ void layernorm16_bwd_kernel(bf16 *dx, float *part,
                                       const bf16 *dy, const bf16 *dres,
                                       const bf16 *x, const float *mean,
                                       const float *rstd, const bf16 *w,
                                       int N, int C)
{
    extern __shared__ uint4 stage[];    /* Pack<W> [2][3][ROWS][threads] */
    __shared__ float sums[2][ROW_WARPS][2 * ROWS];
    const int c = W * threadIdx.x, warp = threadIdx.x / 32;
    const bool mine = c < C;
    float dw[W] = {}, db[W] = {}, dbias[W] = {}, gain[W] = {};
    if (mine)
        pack_get(gain, pack_load<W>(w + c));
    int n = ROWS * blockIdx.x, turn = 0;
    /* ask for the rows from n on (18b.3) */
    Pack<W> *slot = (Pack<W> *)stage + threadIdx.x;
    const int threads = blockDim.x, half = 3 * ROWS * threads;
    #define ASK(n, turn)                                                     \
        for (int i = 0; i < ROWS && mine && (n) + i < N; i++) {              \
            const size_t at = (size_t)((n) + i) * C + c;                     \
            Pack<W> *to = slot + (turn) * half + i * threads;                \
            stage_pack<W>(to, x + at);                                       \
            stage_pack<W>(to + ROWS * threads, dy + at);                     \
            if (dres)                                                        \
                stage_pack<W>(to + 2 * ROWS * threads, dres + at);           \
        }                                                                    \
        stage_commit()
    ASK(n, 0);
    for (; n < N; n += ROWS * gridDim.x, turn ^= 1) {
        /* ask for the rows of the next turn; wait for those of this (18b.3) */
        const int next = n + ROWS * gridDim.x;
        ASK(next, turn ^ 1);
        float m[ROWS], r[ROWS];
        #pragma unroll
        for (int i = 0; i < ROWS; i++) {
            m[i] = n + i < N ? mean[n + i] : 0;
            r[i] = n + i < N ? rstd[n + i] : 0;
        }
        stage_wait<1>();
        Pack<W> px[ROWS], pdy[ROWS];
        #pragma unroll
        for (int i = 0; i < ROWS; i++) {
            px[i] = pdy[i] = Pack<W>{};
            if (mine && n + i < N) {
                px[i] = slot[turn * half + i * threads];
                pdy[i] = slot[turn * half + (ROWS + i) * threads];
            }
        }
        /* add up g and g h of each row over the block (18b.3) */
        float two[2 * ROWS];
        #pragma unroll
        for (int i = 0; i < ROWS; i++) {
            float h[W], d[W];
            pack_get(h, px[i]);
            pack_get(d, pdy[i]);
            two[2 * i] = two[2 * i + 1] = 0;
            #pragma unroll
            for (int j = 0; j < W; j++) {
                const float g = d[j] * gain[j], hat = (h[j] - m[i]) * r[i];
                two[2 * i] += mine ? g : 0;
                two[2 * i + 1] += mine ? g * hat : 0;
            }
        }
        const float total = warp_sum_8(two);
        if (threadIdx.x % 4 == 0)
            sums[turn][warp][threadIdx.x % 32 / 4] = total;
        __syncthreads();
        #pragma unroll
        for (int i = 0; i < 2 * ROWS; i++) {
            two[i] = 0;
            for (unsigned k = 0; k < blockDim.x / 32; k++)
                two[i] += sums[turn][k][i];
        }
        /* write dx; add to the sums of the columns (18b.3) */
        #pragma unroll
        for (int i = 0; i < ROWS; i++) {
            if (n + i >= N || !mine)
                continue;
            const float a = two[2 * i] / C, p = two[2 * i + 1] / C;
            float h[W], d[W], res[W];
            pack_get(h, px[i]);
            pack_get(d, pdy[i]);
            pack_get(res, dres ? slot[turn * half + (2 * ROWS + i) * threads]
                               : Pack<W>{});
            #pragma unroll
            for (int j = 0; j < W; j++) {
                const float hat = (h[j] - m[i]) * r[i];
                dw[j] = fmaf(d[j], hat, dw[j]);
                db[j] += d[j];
                res[j] = fmaf(r[i], fmaf(-hat, p, fmaf(d[j], gain[j], -a)),
                              res[j]);
                dbias[j] += res[j];
            }
            pack_put(&px[i], res);
            pack_store(dx + (size_t)(n + i) * C + c, px[i]);
        }
    }
    /* leave the sums of this block's rows (18b.3) */
    if (mine) {
        float *to = part + 3 * (size_t)blockIdx.x * C + c;
        floats_put<W>(to, dw);
        floats_put<W>(to + C, db);
        floats_put<W>(to + 2 * C, dbias);
    }
}

/* launch layernorm16 backward (18b.3) */
enum { BWD_BLOCKS = 528 };              /* at most; four for each of 132 */

void layernorm16_bwd(bf16 *dx, float *dw, float *db, float *dbias,
                     const bf16 *dy, const bf16 *dres, const bf16 *x,
                     const float *mean, const float *rstd, const bf16 *w,
                     int N, int C, bool accumulate)
{
    const bool packs = C % 8 == 0;
    if (C > (packs ? 2048 : 1024))
        fail("layernorm16_bwd: rows of %d; it takes multiples of 8 up to "
             "2048, and others up to 1024", C);
    const int threads = ((packs ? C / 8 : C) + 31) / 32 * 32;
    int blocks = (N + ROWS - 1) / ROWS;
    blocks = blocks < BWD_BLOCKS ? blocks : BWD_BLOCKS;
    float *part = (float *)machine_scratch(
        3 * (size_t)blocks * C * sizeof *part);
    const int bytes = 6 * ROWS * threads * (packs ? 16 : 2);
    const auto kernel = packs ? layernorm16_bwd_kernel<8>
                              : layernorm16_bwd_kernel<1>;
    CUDA_OK(cudaFuncSetAttribute((const void *)kernel,
                cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    kernel<<<blocks, threads, bytes, machine_stream>>>(
        dx, part, dy, dres, x, mean, rstd, w, N, C);
    LAUNCHED();
    const struct Parts sums = { { dw, db, dbias }, part, 3, blocks };
    sum_parts(&sums, C, accumulate);
}
