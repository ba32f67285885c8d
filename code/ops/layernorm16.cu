/* Chapter 18b, Fused operators: 18b.3 LayerNorm forward */
/* Tangled from chapters/18b-fused-operators.nw by `make tangle`; edit it there. */

#include "ops/columns16.h"
#include "ops/gpu.h"
#include "ops/layernorm.h"
#include "ops/layernorm16.h"

/* layernorm16 forward: a warp per row, the row in registers (18b.3) */
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
    /* read row n (18b.3) */
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
    /* m, r = mean and 1 / standard deviation of the packs (18b.3) */
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
    /* write the normalised packs (18b.3) */
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

/* launch layernorm16 forward (18b.3) */ \
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

/* launch layernorm16 forward, continued (18b.3) */
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

/* layernorm16 backward: a thread per pack of columns (18b.4) */
enum { ROWS = 4, BWD_THREADS = 384 };   /* rows at a time */

/* sums over a warp of K numbers at a time (18b.4) */
/* Lane l gets the sum over the warp of v[l / (32 / K)], K a power of two;
 * v is used up.  Each step halves what is left: half of the lanes go on
 * with half of the numbers. */
template <int K>
__device__ static __forceinline__ float warp_sums(float *v)
{
    int d = 16;
    #pragma unroll
    for (int k = K / 2; k > 0; k /= 2, d /= 2) {
        #pragma unroll
        for (int i = 0; i < k; i++) {
            const bool up = threadIdx.x & d;
            const float keep = up ? v[k + i] : v[i];
            const float give = up ? v[i] : v[k + i];
            v[i] = keep + __shfl_xor_sync(WHOLE_WARP, give, d);
        }
    }
    #pragma unroll
    for (; d > 0; d /= 2)
        v[0] += __shfl_xor_sync(WHOLE_WARP, v[0], d);
    return v[0];
}

/* a barrier for some of a block's warps (18b.4) */
/* All `threads` threads that name barrier `id`, 1 to 15. */
__device__ static __forceinline__ void group_sync(int id, int threads)
{
    asm volatile("bar.sync %0, %1;" :: "r"(id), "r"(threads) : "memory");
}

/* ask for ROWS rows of x, dy and dres (18b.4) */
/* ... from row n on of N, the pack that starts in column c. */
template <int W>
__device__ static __forceinline__ void ask_rows(
    Pack<W> *slot, const bf16 *x, const bf16 *dy, const bf16 *dres, int n,
    int N, int C, int c, int width)
{
    #pragma unroll
    for (int i = 0; i < ROWS; i++) {
        const size_t at = (size_t)(n + i) * C + c;
        if (n + i >= N)
            break;
        stage_pack<W>(slot + i * width, x + at);
        stage_pack<W>(slot + (ROWS + i) * width, dy + at);
        if (dres)
            stage_pack<W>(slot + (2 * ROWS + i) * width, dres + at);
    }
    stage_commit();
}

/* layernorm16 backward: the kernel (18b.4) */
/* dx, and for each block the partial sums over its rows of the gradients
 * of w and b, and of dx: part[block][0 .. 2][C].
 *   launch    any number of blocks of one or more groups of `width`
 *             threads, one for W columns; a group takes ROWS rows at a
 *             time, group k of the grid those from ROWS k on first
 *   shared    12 W ROWS bytes a thread, for rows on their way
 *   moves     8 NC + 8 N + 12 C blocks bytes        ceiling   memory */
template <int W>
__global__ void __launch_bounds__(BWD_THREADS, 2)
layernorm16_bwd_kernel(bf16 *dx, float *part, const bf16 *dy,
                       const bf16 *dres, const bf16 *x, const float *mean,
                       const float *rstd, const bf16 *w, int N, int C,
                       int width)
{
    extern __shared__ uint4 stage[];    /* of each group [2][3][ROWS] */
    __shared__ float sums[2][BWD_THREADS / 32][2 * ROWS];
    /* which group, which columns (18b.4) */
    const int group = threadIdx.x / width, groups = blockDim.x / width;
    const int c = W * (threadIdx.x % width);
    const bool mine = c < C;
    const int half = 3 * ROWS * width;      /* packs of a turn */
    Pack<W> *slot = (Pack<W> *)stage + 2 * half * group + threadIdx.x % width;
    const int step = ROWS * groups * gridDim.x;
    int n = ROWS * (groups * blockIdx.x + group);
    const float each = 1.0f / C;
    float dw[W] = {}, db[W] = {}, dbias[W] = {}, gain[W] = {};
    if (mine)
        pack_get(gain, pack_load<W>(w + c));
    ask_rows<W>(slot, x, dy, dres, n, mine ? N : 0, C, c, width);
    for (int turn = 0; n < N; n += step, turn ^= 1) {
        /* ask for the rows of the next turn; wait for those of this (18b.4) */
        ask_rows<W>(slot + (turn ^ 1) * half, x, dy, dres, n + step, mine ? N : 0,
                    C, c, width);
        float m[ROWS], r[ROWS];
        #pragma unroll
        for (int i = 0; i < ROWS; i++) {
            m[i] = n + i < N ? mean[n + i] : 0;
            r[i] = n + i < N ? rstd[n + i] : 0;
        }
        stage_wait<1>();
        const Pack<W> *now = slot + turn * half;
        /* add up g and g h of each row over the group (18b.4) */
        float two[2 * ROWS];
        #pragma unroll
        for (int i = 0; i < ROWS; i++) {
            float h[W] = {}, d[W] = {};
            if (mine && n + i < N) {
                pack_get(h, now[i * width]);
                pack_get(d, now[(ROWS + i) * width]);
            }
            two[2 * i] = two[2 * i + 1] = 0;
            #pragma unroll
            for (int j = 0; j < W; j++) {
                const float g = d[j] * gain[j];
                two[2 * i] += g;
                two[2 * i + 1] = fmaf(g, h[j] - m[i], two[2 * i + 1]);
            }
        }
        const float total = warp_sums<2 * ROWS>(two);
        if (threadIdx.x % (16 / ROWS) == 0)
            sums[turn][threadIdx.x / 32][threadIdx.x % 32 / (16 / ROWS)] = total;
        group_sync(1 + group, width);
        #pragma unroll
        for (int i = 0; i < 2 * ROWS; i++) {
            two[i] = 0;
            for (int k = 0; k < width / 32; k++)
                two[i] += sums[turn][group * width / 32 + k][i];
        }
        /* write dx; add to the sums of the columns (18b.4) */
        #pragma unroll
        for (int i = 0; i < ROWS; i++) {
            if (n + i >= N || !mine)
                break;
            const float a = two[2 * i] * each, p = two[2 * i + 1] * each * r[i];
            float h[W], d[W], res[W] = {};
            pack_get(h, now[i * width]);
            pack_get(d, now[(ROWS + i) * width]);
            if (dres)
                pack_get(res, now[(2 * ROWS + i) * width]);
            #pragma unroll
            for (int j = 0; j < W; j++) {
                const float hat = (h[j] - m[i]) * r[i];
                dw[j] = fmaf(d[j], hat, dw[j]);
                db[j] += d[j];
                res[j] = fmaf(r[i], fmaf(-hat, p, fmaf(d[j], gain[j], -a)),
                              res[j]);
                dbias[j] += res[j];
            }
            Pack<W> pack;
            pack_put(&pack, res);
            pack_store(dx + (size_t)(n + i) * C + c, pack);
        }
    }
    /* add up the groups; leave the sums of this block's rows (18b.4) */
    float *all = (float *)stage + threadIdx.x;
    __syncthreads();                        /* every row has been read */
    #pragma unroll
    for (int j = 0; j < W; j++) {
        all[3 * j * BWD_THREADS] = dw[j];
        all[(3 * j + 1) * BWD_THREADS] = db[j];
        all[(3 * j + 2) * BWD_THREADS] = dbias[j];
    }
    __syncthreads();
    for (int g = 1; g < groups && group == 0; g++) {
        all += width;
        #pragma unroll
        for (int j = 0; j < W; j++) {
            dw[j] += all[3 * j * BWD_THREADS];
            db[j] += all[(3 * j + 1) * BWD_THREADS];
            dbias[j] += all[(3 * j + 2) * BWD_THREADS];
        }
    }
    if (mine && group == 0) {
        float *to = part + 3 * (size_t)blockIdx.x * C + c;
        floats_put<W>(to, dw);
        floats_put<W>(to + C, db);
        floats_put<W>(to + 2 * C, dbias);
    }
}

/* launch layernorm16 backward (18b.4) */
enum { BWD_BLOCKS = 264 };              /* at most; two for each of 132 */

void layernorm16_bwd(bf16 *dx, float *dw, float *db, float *dbias,
                     const bf16 *dy, const bf16 *dres, const bf16 *x,
                     const float *mean, const float *rstd, const bf16 *w,
                     int N, int C, bool accumulate)
{
    const bool packs = C % 8 == 0;
    if (C > (packs ? 2048 : BWD_THREADS))
        fail("layernorm16_bwd: rows of %d; it takes multiples of 8 up to "
             "2048, and others up to %d", C, BWD_THREADS);
    const int width = ((packs ? C / 8 : C) + 31) / 32 * 32;
    const int groups = BWD_THREADS / width;
    int blocks = (N + ROWS * groups - 1) / (ROWS * groups);
    blocks = blocks < BWD_BLOCKS ? blocks : BWD_BLOCKS;
    float *part = (float *)machine_scratch(
        3 * (size_t)blocks * C * sizeof *part);
    const int bytes = 6 * ROWS * groups * width * (packs ? 16 : 2);
    const auto kernel = packs ? layernorm16_bwd_kernel<8>
                              : layernorm16_bwd_kernel<1>;
    CUDA_OK(cudaFuncSetAttribute((const void *)kernel,
                cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    kernel<<<blocks, groups * width, bytes, machine_stream>>>(
        dx, part, dy, dres, x, mean, rstd, w, N, C, width);
    LAUNCHED();
    const struct Parts sums = { { dw, db, dbias }, part, 3, blocks };
    sum_parts(&sums, C, accumulate);
}
