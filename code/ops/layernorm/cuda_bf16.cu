/* Tangled from chapters/workshop/fused-details.nw, "LayerNorm forward".  Edit it there. */

#include "ops/fp32/fp32.h"
#include "ops/kernels/common.cuh"
#include "ops/layernorm/layernorm.h"
#include "ops/layernorm/layernorm_bf16.h"
#include "ops/linear/bias_grad_bf16.h"
#include "ops/operators.h"

/* layernorm_bf16 forward: a warp per row, the row in registers */
/* y[n,:] = (x[n,:] - mean[n]) rstd[n] w + b, one warp per row.  With ADD,
 * x is x + add, which is also written to sum.
 *   launch    ceil(N / 8) blocks of 8 warps
 *   needs     C <= 32 W STEPS              ceiling   memory */
template <int W, int STEPS, bool ADD>
__global__ void layernorm_bf16_fwd_kernel(bf16 *sum, bf16 *y, float *mean,
                                          float *rstd, const bf16 *x,
                                          const bf16 *add, const bf16 *w,
                                          const bf16 *b, int N, int C)
{
    /* give this warp row n */
    const int lane = threadIdx.x % 32;
    const int n = blockIdx.x * WARPS + threadIdx.x / 32;
    if (n >= N)
        return;                         /* a warp leaves whole */
    const size_t at = (size_t)n * C;
    Pack<W> row[STEPS];     /* row[s] = x[n, W (32 s + lane) ...]      */
    float v[W], u[W];
    /* read row n */
    #pragma unroll
    for (int s = 0; s < STEPS; s++) {
        const int c = W * (32 * s + lane);
        if (c < C)
            row[s] = pack_load<W>(x + at + c);
    }
    if (ADD) {
        /* add the residual to the packs, and write the sum */
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
    /* m, r = mean and 1 / standard deviation of the packs */
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
    /* write the normalised packs */
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

/* launch layernorm_bf16 forward */
#define FORWARD(W, STEPS)                                                \
    layernorm_bf16_fwd_kernel<W, STEPS, ADD>                             \
        <<<blocks_for(N, WARPS), THREADS, 0, backend_stream()>>>(         \
            sum, y, mean, rstd, x, add, w, b, N, C)

template <bool ADD>
static void forward(bf16 *sum, bf16 *y, float *mean, float *rstd,
                    const bf16 *x, const bf16 *add, const bf16 *w,
                    const bf16 *b, int N, int C)
{
    const bool packs = C % 8 == 0;
    const int steps = (C + 32 * 8 - 1) / (32 * 8);
    if (C > (packs ? 2048 : 1056)) {
        backend_failed("layernorm_bf16: rows of %d; it takes multiples of "
                       "8 up to 2048, and others up to 1056", C);
        return;
    }
    /* choose the kernel by the packs of a row */
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

void cuda_layernorm_bf16_fwd(bf16 *y, float *mean, float *rstd,
                             const bf16 *x, const bf16 *w, const bf16 *b,
                             int N, int C)
{
    forward<false>(NULL, y, mean, rstd, x, NULL, w, b, N, C);
}

void residual_layernorm_bf16_fwd(bf16 *sum, bf16 *y, float *mean,
                                 float *rstd, const bf16 *x,
                                 const bf16 *add, const bf16 *w,
                                 const bf16 *b, int N, int C)
{
    forward<true>(sum, y, mean, rstd, x, add, w, b, N, C);
}

/* layernorm_bf16 backward: a warp has a row */
/* two sums over a warp at once */
/* *a and *b become their sums over the warp, in every lane. */
__device__ static __forceinline__ void warp_sum_both(float *a, float *b)
{
    const bool up = threadIdx.x & 16;
    float sum = up ? *b : *a;
    sum += __shfl_xor_sync(WHOLE_WARP, up ? *a : *b, 16);
    #pragma unroll
    for (int d = 8; d > 0; d /= 2)
        sum += __shfl_xor_sync(WHOLE_WARP, sum, d);
    const float other = __shfl_xor_sync(WHOLE_WARP, sum, 16);
    *a = up ? other : sum;
    *b = up ? sum : other;
}

/* ask for a row of x, dy and dres */
/* The packs of row n that start in columns c, c + 32 W, ... */
template <int STEPS, int W, typename E>
__device__ static __forceinline__ void ask_row(
    Pack<W, E> *slot, const E *x, const E *dy, const E *dres, int n,
    int N, int C, int c)
{
    const size_t at = (size_t)n * C + c;
    #pragma unroll
    for (int s = 0; s < STEPS; s++) {
        if (n >= N || c + 32 * W * s >= C)
            break;
        /* ask for one pack of each */
        pack_copy_async(slot + 32 * s, x + at + 32 * W * s);
        pack_copy_async(slot + 32 * (STEPS + s), dy + at + 32 * W * s);
        if (dres)
            pack_copy_async(slot + 32 * (2 * STEPS + s),
                            dres + at + 32 * W * s);
    }
    cp_async_commit();
}

/* the gain, the terms of a row and the sums of a lane */
/* w, packed; KEEP: all of this lane's columns are in registers */
template <int STEPS, int W, typename E> struct Gain {
    static constexpr bool KEEP = STEPS * W <= 40 && W > 1;
    const E *w;
    Pack<W, E> kept[STEPS];
};

/* Mean and 1 / standard deviation; what dx takes off: see row_terms. */
struct RowTerms { float m, r, a, p; };

/* Of dy (x - m) r, of dy, and of dx, over the rows of this lane. */
template <int STEPS, int W> struct LaneSums {
    float dw[STEPS][W], db[STEPS][W], dbias[STEPS][W];
};

/* the two sums of a row */
/* a, p = the sums of g and of g (x - m), as dx needs them.
 * now: this lane's packs of x and dy; each: 1 / C */
template <int STEPS, int W, typename E> DEVICE_INLINE void
row_terms(RowTerms *row, const Pack<W, E> *now,
          const Gain<STEPS, W, E> &gain, int C, float each)
{
    const int lane = threadIdx.x % 32;
    const float m = row->m, r = row->r;
    float a = 0, p = 0;
    #pragma unroll
    for (int s = 0; s < STEPS; s++) {
        const int c = W * (32 * s + lane);
        if (c >= C)
            break;
        /* add a pack of g and of g (x - m) */
        float h[W], d[W], w[W];
        pack_get(h, now[32 * s]);
        pack_get(d, now[32 * (STEPS + s)]);
        pack_get(w, gain.KEEP ? gain.kept[s] : pack_load<W>(gain.w + c));
        #pragma unroll
        for (int j = 0; j < W; j++) {
            const float g = d[j] * w[j];
            a += g;
            p = fmaf(g, h[j] - m, p);
        }
    }
    warp_sum_both(&a, &p);
    row->a = a * (each * r);
    row->p = p * (each * r * r * r);
}

/* write dx of a row */
/* Writes dx of a row, and adds the row to the sums of the columns. */
template <int STEPS, int W, typename E> DEVICE_INLINE void
write_row(E *dx, LaneSums<STEPS, W> *sums, RowTerms row,
          const Pack<W, E> *now, const Gain<STEPS, W, E> &gain, int C,
          bool dres)
{
    const int lane = threadIdx.x % 32;
    #pragma unroll
    for (int s = 0; s < STEPS; s++) {
        const int c = W * (32 * s + lane);
        if (c >= C)
            break;
        /* unpack x, dy, the gain and dres */
        float h[W], d[W], w[W], res[W] = {};
        pack_get(h, now[32 * s]);
        pack_get(d, now[32 * (STEPS + s)]);
        pack_get(w, gain.KEEP ? gain.kept[s] : pack_load<W>(gain.w + c));
        if (dres)
            pack_get(res, now[32 * (2 * STEPS + s)]);
        #pragma unroll
        for (int j = 0; j < W; j++) {
            /* one number: its dx, and what it adds to three sums */
            const float off = h[j] - row.m, slope = d[j] * row.r;
            sums->dw[s][j] = fmaf(slope, off, sums->dw[s][j]);
            sums->db[s][j] += d[j];
            res[j] = fmaf(-off, row.p, fmaf(slope, w[j], res[j] - row.a));
            sums->dbias[s][j] += res[j];
        }
        Pack<W, E> pack;
        pack_put(&pack, res);
        pack_store(dx + c, pack);
    }
}

/* the sums of a block */
/* part[0 .. 2][C] = the sums over the block's rows; table: the shared
 * memory in which the rows arrived */
template <int STEPS, int W> DEVICE_INLINE void
leave_sums(float *part, const LaneSums<STEPS, W> &sums, float *table, int C)
{
    const int pitch = blockDim.x + 4, warps = blockDim.x / 32;
    float *mine = table + threadIdx.x;
    __syncthreads();                    /* every row has been read */
    #pragma unroll
    for (int i = 0; i < STEPS * W; i++) {
        mine[i * pitch] = sums.dw[i / W][i % W];
        mine[(STEPS * W + i) * pitch] = sums.db[i / W][i % W];
        mine[(2 * STEPS * W + i) * pitch] = sums.dbias[i / W][i % W];
    }
    __syncthreads();
    /* add up the warps */
    for (int q = threadIdx.x; q < 3 * C; q += blockDim.x) {
        const int k = q / C, c = q % C, s = c / (32 * W);
        const float *of = table + c / W % 32
                        + ((k * STEPS + s) * W + c % W) * pitch;
        float sum = 0;
        for (int i = 0; i < warps; i++)
            sum += of[32 * i];
        part[q] = sum;
    }
}

/* the sums of a position */
/* dwpe, a row of C, = the sums of dx, or added to it; they begin again. */
template <int STEPS, int W> DEVICE_INLINE void
leave_position(float *dwpe, LaneSums<STEPS, W> *sums, int C,
               bool accumulate)
{
    const int lane = threadIdx.x % 32;
    #pragma unroll
    for (int s = 0; s < STEPS; s++) {
        const int c = W * (32 * s + lane);
        if (c >= C)
            break;
        float old[W] = {};
        if (accumulate)
            float4_get<W>(old, dwpe + c);
        #pragma unroll
        for (int j = 0; j < W; j++) {
            old[j] += sums->dbias[s][j];
            sums->dbias[s][j] = 0;
        }
        float4_put<W>(dwpe + c, old);
    }
}

/* layernorm_bf16 backward: the kernel */
/* dx, and for each block the partial sums over its rows of the gradients
 * of w and b, and of dx: part[block][0 .. 2][C].
 *   launch    any number of blocks of up to MOST warps; a block has
 *             neighbouring t of 0 .. T-1, and a warp takes the rows t,
 *             t + T, t + 2 T, ...; without dwpe T is the number of warps
 *   shared    bwd_bytes: for each warp two rows of three arrays; at the
 *             end the sums of all lanes
 *   needs     C <= 32 W STEPS
 *   moves     4 NC numbers, 8 N + 12 C blocks bytes ceiling   memory */
template <typename E, int W, int STEPS, int MOST>
__global__ void __launch_bounds__(32 * MOST, 1)
layernorm_bwd_kernel(E *dx, float *part, const E *dy, const E *dres,
                     const E *x, const float *mean, const float *rstd,
                     const E *w, int N, int C, float *dwpe, int T,
                     bool accumulate)
{
    extern __shared__ uint4 stage[];    /* of each warp [2][3][STEPS][32] */
    /* which rows, which columns */
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int warps = blockDim.x / 32;
    const int each_block = (T + gridDim.x - 1) / gridDim.x;
    const int stop = min((int)(blockIdx.x + 1) * each_block, T);
    const int half = 3 * STEPS * 32;        /* packs of a turn */
    Pack<W, E> *slot = (Pack<W, E> *)stage + 2 * half * warp + lane;
    int t = blockIdx.x * each_block + warp, n = t < stop ? t : N;
    const float each = 1.0f / C;
    LaneSums<STEPS, W> sums = {};
    /* ask for the first row */
    Gain<STEPS, W, E> gain = { w, {} };
    #pragma unroll
    for (int s = 0; s < STEPS; s++)
        if (gain.KEEP && W * (32 * s + lane) < C)
            gain.kept[s] = pack_load<W>(w + W * (32 * s + lane));
    ask_row<STEPS>(slot, x, dy, dres, n, N, C, W * lane);
    float m_next = n < N ? mean[n] : 0, r_next = n < N ? rstd[n] : 0;
    for (int turn = 0, next; n < N; n = next, turn ^= 1) {
        /* next = the row after row n */
        next = n + T;
        if (next >= N) {
            t += warps;
            next = t < stop ? t : N;
        }
        /* ask for the next row; wait for this one */
        ask_row<STEPS>(slot + (turn ^ 1) * half, x, dy, dres, next, N, C,
                       W * lane);
        RowTerms row = { m_next, r_next, 0, 0 };
        if (next < N) {
            m_next = mean[next];
            r_next = rstd[next];
        }
        cp_async_wait<1>();
        const Pack<W, E> *now = slot + turn * half;
        row_terms(&row, now, gain, C, each);
        write_row(dx + (size_t)n * C, &sums, row, now, gain, C, dres);
        if (dwpe && n + T >= N)
            leave_position(dwpe + (size_t)(n % T) * C, &sums, C,
                           accumulate);
    }
    leave_sums(part + 3 * (size_t)blockIdx.x * C, sums, (float *)stage, C);
}

/* launch layernorm_bf16 backward */
enum { BWD_BLOCKS = 132 };              /* at most; one for each of 132 */

/* Shared memory of a block: rows of numbers of `each` bytes, or the sums
 * at the end. */
static size_t bwd_bytes(size_t each, int W, int steps, int warps)
{
    const size_t three = 3 * (size_t)steps * W;
    const size_t rows = 2 * three * each * 32 * warps;
    const size_t sums = three * sizeof(float) * (32 * warps + 4);
    return rows > sums ? rows : sums;
}

/* So many warps in a block that there is room for them, at most `most`. */
static int bwd_warps(size_t each, int W, int steps, int most)
{
    static int rooms[MOST_DEVICES];
    int &room = rooms[backend_device()];
    if (!room)
        room = gpu_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    while (most > 1 && bwd_bytes(each, W, steps, most) > (size_t)room)
        most--;
    return most;
}

template <typename E> struct Backward {
    E *dx;
    float *part;
    const E *dy, *dres, *x;
    const float *mean, *rstd;
    const E *w;
    int N, C;
    float *dwpe;                        /* NULL: not wanted */
    int T;
    bool accumulate;
};

/* Launches, and returns the number of blocks; 0 after a failure. */
template <int W, int STEPS, int MOST, typename E>
static int backward(Backward<E> *b)
{
    const int warps = bwd_warps(sizeof(E), W, STEPS, MOST);
    const int wanted = (b->N + warps - 1) / warps;
    const int blocks = wanted < BWD_BLOCKS ? wanted : BWD_BLOCKS;
    const size_t bytes = bwd_bytes(sizeof(E), W, STEPS, warps);
    const auto kernel = layernorm_bwd_kernel<E, W, STEPS, MOST>;
    b->part = (float *)backend_scratch(
        3 * (size_t)blocks * b->C * sizeof *b->part);
    if (!b->part)
        return 0;
    /* allow the shared memory and launch */
    allow_shared_memory(kernel, bytes);
    kernel<<<blocks, 32 * warps, bytes, backend_stream()>>>(
        b->dx, b->part, b->dy, b->dres, b->x, b->mean, b->rstd, b->w, b->N,
        b->C, b->dwpe, b->dwpe ? b->T : blocks * warps, b->accumulate);
    LAUNCHED();
    return blocks;
}

/* Rows of whole packs; P packs have eight numbers. */
template <typename E> static int backward_packs(Backward<E> *b)
{
    constexpr int W = 16 / sizeof(E), P = 8 / W;
    switch ((b->C + 32 * 8 - 1) / (32 * 8)) {
    case 1: return backward<W, P, 24>(b);
    case 2: return backward<W, 2 * P, 16>(b);
    case 3: return backward<W, 3 * P, 12>(b);
    case 4: return backward<W, 4 * P, 8>(b);
    case 5: return backward<W, 5 * P, 8>(b);
    default: return backward<W, 8 * P, 8>(b);
    }
}

static int backward_for(Backward<bf16> *b)
{
    if (b->C > (b->C % 8 ? 384 : 2048)) {
        backend_failed("layernorm_bf16_bwd: rows of %d; it takes multiples "
                       "of 8 up to 2048, and others up to 384", b->C);
        return 0;
    }
    return b->C % 8 ? backward<1, 12, 8>(b) : backward_packs(b);
}

void cuda_layernorm_bf16_bwd(bf16 *dx, float *dw, float *db, float *dbias,
                             const bf16 *dy, const bf16 *dres,
                             const bf16 *x, const float *mean,
                             const float *rstd, const bf16 *w,
                             int N, int C, bool accumulate)
{
    Backward<bf16> b = { dx, NULL, dy, dres, x, mean, rstd, w, N, C, NULL,
                         0, accumulate };
    const int blocks = backward_for(&b);
    const struct Parts sums = { { dw, db, dbias }, b.part, 3, blocks };
    sum_parts(&sums, C, accumulate);
}

void cuda_layernorm_bf16_bwd_positions(bf16 *dx, float *dw, float *db,
                                       float *dwpe, const bf16 *dy,
                                       const bf16 *dres, const bf16 *x,
                                       const float *mean, const float *rstd,
                                       const bf16 *w, int N, int T, int C,
                                       bool accumulate)
{
    Backward<bf16> b = { dx, NULL, dy, dres, x, mean, rstd, w, N, C, dwpe,
                         T, accumulate };
    const int blocks = backward_for(&b);
    const struct Parts sums = { { dw, db }, b.part, 3, blocks };
    sum_parts(&sums, C, accumulate);
}

/* layernorm backward for floats */
bool fp32_layernorm_bwd(float *dx, float *dw, float *db, const float *dy,
                        const float *x, const float *mean,
                        const float *rstd, const float *w, int N, int C)
{
    if (!fp32_terms() || C % 4 || C > 2048
        || !fp32_aligned(dx, dy, x) || !fp32_aligned(w, NULL, NULL))
        return false;
    Backward<float> b = { dx, NULL, dy, dx, x, mean, rstd, w, N, C, NULL,
                          0, true };
    const int blocks = backward_packs(&b);
    const struct Parts sums = { { dw, db }, b.part, 3, blocks };
    sum_parts(&sums, C, true);
    return true;
}
