/* Tangled from chapters/workshop/attention-plumbing.nw, "The files of attention".  Edit it there. */

/* mma.cuh: attention by mma.sync, for numbers of any type E.  It is Bf16 of
 * cuda_bf16_mma.cu, or Tf32 of cuda_tf32.cu. */
#ifndef OPS_ATTENTION_MMA_CUH
#define OPS_ATTENTION_MMA_CUH

#include "ops/kernels/common.cuh"
#include "ops/kernels/ptx.cuh"

enum { WARPS4 = 4, THREADS4 = 32 * WARPS4, TILE = 64 };

/* keep tiles of rows in shared memory */
template <class E> using Number = typename E::Number;

/* The bytes of a row of a tile: 16 more than the head's, so that eight rows
 * start in different banks. */
template <class E, int HS>
constexpr int PITCH = HS * (int)sizeof(Number<E>) + 16;
template <class E, int HS> constexpr int TILE_BYTES = TILE * PITCH<E, HS>;

/* Copy rows t to t + R - 1 of a head, ld apart; zero from row T on. */
template <class E, int HS, int R> DEVICE_INLINE void
load_rows(unsigned to, const Number<E> *from, size_t ld, int t, int T)
{
    constexpr int piece = 16 / sizeof(Number<E>), pieces = HS / piece;
    for (int i = threadIdx.x; i < R * pieces; i += THREADS4) {
        const int row = i / pieces, c = i % pieces;
        const bool there = t + row < T;
        cp_async(to + row * PITCH<E, HS> + c * 16,
                 from + (there ? (t + row) * ld + c * piece : 0),
                 there ? 16 : 0);
    }
}

/* Where this lane finds its row of a fragment: of A, and of B when the
 * rows of the tile are the rows of B ... */
template <int pitch> DEVICE_INLINE unsigned lane_down()
{
    const int lane = threadIdx.x % 32;
    return lane % 16 * pitch + lane / 16 * 16;
}

/* ... and of B when they are its columns. */
template <int pitch> DEVICE_INLINE unsigned lane_across()
{
    const int lane = threadIdx.x % 32;
    return (lane / 16 * 8 + lane % 8) * pitch + lane / 8 % 2 * 16;
}

/* The 16 rows at `at` as operand A, K fragments of 32 bytes a row. */
template <class E, int K>
DEVICE_INLINE void load_a(unsigned (&a)[K][4], unsigned at)
{
    at += lane_down<PITCH<E, K * E::DEPTH>>();
    #pragma unroll
    for (int k = 0; k < K; k++)
        ldmatrix(a[k], at + k * 32);
}

/* write a row from a warp */
/* A row of a head = times the half r of x: lane / 4 + 8 r of 16 rows */
template <class E, int W> DEVICE_INLINE void
write_row(Number<E> *to, const float (&x)[W][4], int r, float times)
{
    typename E::Pair *pairs = (typename E::Pair *)to + threadIdx.x % 4;
    #pragma unroll
    for (int n = 0; n < W; n++)
        pairs[n * 4] = E::pair(x[n][2 * r] * times,
                               x[n][2 * r + 1] * times);
}

/* write the rows of a warp */
/* Rows t to t + 15 of a head, ld apart, = times x; none from T on */
template <class E, int W> DEVICE_INLINE void
write_rows(Number<E> *to, const float (&x)[W][4], float times, size_t ld,
           int t, int T)
{
    #pragma unroll
    for (int r = 0; r < 2; r++) {
        const int row = t + threadIdx.x % 32 / 4 + r * 8;
        if (row < T)
            write_row<E>(to + row * ld, x, r, times);
    }
}

/* sum the rows of a block */
/* to[0 .. HS) = `times` the sums over the rows of all four warps */
template <int HS, int M>
DEVICE_INLINE void sum_columns(float *to, const float x[M][HS / 8][4],
                               float times, float *room)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    __syncthreads();                    /* no warp needs the tiles now */
    /* sum over the rows of each warp */
    #pragma unroll
    for (int i = 0; i < HS / 4; i++) {
        float sum = 0;
        for (int k = 0; k < M; k++)
            sum += x[k][i / 2][i % 2] + x[k][i / 2][i % 2 + 2];
        for (int d = 4; d < 32; d *= 2)
            sum += __shfl_xor_sync(WHOLE_WARP, sum, d);
        if (lane < 4)
            room[warp * HS + i / 2 * 8 + lane * 2 + i % 2] = sum;
    }
    __syncthreads();
    const float *column = room + threadIdx.x;
    if (threadIdx.x < HS)
        to[threadIdx.x] = times * (column[0] + column[HS]
                                   + (column[2 * HS] + column[3 * HS]));
}

/* load lse and D of 64 queries */
/* lse, for powers of 2, of 64 queries from t on in the first 64 threads,
 * D in the others; 0 after the last query, whose rows are 0, too */
DEVICE_INLINE float
statistic(const float *lse, const float *dsum, int t, int T)
{
    t += threadIdx.x % TILE;
    if (threadIdx.x < TILE)
        return t < T ? lse[t] * LOG2E : 0;
    return t < T ? dsum[t] : 0;
}

/* update the softmax of rows in registers */
/* s = exp(s - row_max).  row_max, out and sum are updated when a number is
 * about to exceed 2^8, or twice the sum in this lane. */
#define RESCALE_THRESHOLD 8.0f

template <int HS, int M, int N> DEVICE_INLINE void
online_softmax(float s[M][N][4], float out[M][HS / 8][4],
               float row_max[M][2], float sum[M][2], float scale)
{
    float top[M][2];
    bool grown = false;
    /* find this lane's maximum of each row, and whether one has grown */
    #pragma unroll
    for (int i = 0; i < M; i++)
        #pragma unroll
        for (int r = 0; r < 2; r++) {
            top[i][r] = s[i][0][2 * r];
            #pragma unroll
            for (int n = 0; n < N; n++)
                top[i][r] = fmaxf(top[i][r], fmaxf(s[i][n][2 * r],
                                                   s[i][n][2 * r + 1]));
            grown |= (top[i][r] - row_max[i][r]) * scale
                   > fminf(RESCALE_THRESHOLD, fast_log2(sum[i][r]) + 1);
        }
    if (__any_sync(WHOLE_WARP, grown))
        /* take all new maxima, and rescale the sums */
        #pragma unroll
        for (int i = 0; i < M; i++)
            #pragma unroll
            for (int r = 0; r < 2; r++) {
                top[i][r] = quad_max(fmaxf(row_max[i][r], top[i][r]));
                const float keep = fast_exp2((row_max[i][r] - top[i][r]) * scale);
                row_max[i][r] = top[i][r];
                sum[i][r] *= keep;
                #pragma unroll
                for (int n = 0; n < HS / 8; n++)
                    for (int j = 2 * r; j < 2 * r + 2; j++)
                        out[i][n][j] *= keep;
            }
    /* take exponentials and add them up */
    #pragma unroll
    for (int i = 0; i < M; i++)
        #pragma unroll
        for (int n = 0; n < N; n++)
            for (int j = 0; j < 4; j++) {
                const float base = -row_max[i][j / 2] * scale;
                s[i][n][j] = fast_exp2(fmaf(s[i][n][j], scale, base));
                sum[i][j / 2] += s[i][n][j];
            }
}

/* compute y of 64 M queries */
/* y and lse of 64 M queries of one head; a warp has 16 M of them.
 *   launch    B NH ceil(T / 64 M) blocks of 128 threads
 *   shared    4 tiles: 36,864 bytes at HS = 64 in bf16, 69,632 in floats */
template <class E, int HS, int M, int N, int BLOCKS>
__global__ void __launch_bounds__(THREADS4, BLOCKS)
attention_mma_fwd_kernel(Number<E> *y, float *lse, const Number<E> *qkv,
                         int T, int C, int NH, float scale)
{
    extern __shared__ uint4 shared[];
    const unsigned at = shared_address(shared);
    /* find the first query t of this block, and its head */
    const int tiles = (T + 64 * M - 1) / (64 * M);
    const size_t head = blockIdx.x / tiles, b = head / NH, h = head % NH * HS;
    const int t = (tiles - 1 - blockIdx.x % tiles) * 64 * M;   /* long first */
    const int lane = threadIdx.x % 32;
    const int row = t + threadIdx.x / 32 * 16 * M;  /* the warp's first */
    const size_t ld = 3 * (size_t)C;
    qkv += b * T * ld + h;
    const int last = min(t + 64 * M, T);
    unsigned q[M][HS / E::DEPTH][4];
    float out[M][HS / 8][4] = {}, row_max[M][2], sum[M][2] = {};
    /* start copies of the queries and of the first keys and values */
    load_rows<E, HS, 64 * M>(at + 2 * TILE_BYTES<E, HS>, qkv, ld, t, T);
    load_rows<E, HS, TILE>(at, qkv + C, ld, 0, T);
    load_rows<E, HS, TILE>(at + TILE_BYTES<E, HS>, qkv + 2 * C, ld, 0, T);
    /* load the queries of this warp into registers */
    cp_async_wait_all();
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < M; i++) {
        load_a<E>(q[i], at + 2 * TILE_BYTES<E, HS>
                        + (row - t + 16 * i) * PITCH<E, HS>);
        row_max[i][0] = row_max[i][1] = -INFINITY;
    }
    for (int u = 0; u < last; u += TILE) {
        /* wait for keys and values u to u + 63, start the next copies */
        const unsigned now = at + u / TILE % 2 * 2 * TILE_BYTES<E, HS>;
        const unsigned next = at + (u / TILE + 1) % 2 * 2 * TILE_BYTES<E, HS>;
        cp_async_wait_all();
        __syncthreads();
        if (u + TILE < last) {
            load_rows<E, HS, TILE>(next, qkv + C, ld, u + TILE, T);
            load_rows<E, HS, TILE>(next + TILE_BYTES<E, HS>, qkv + 2 * C, ld,
                                   u + TILE, T);
        }
        /* use them in parts of 8 N keys, up to the diagonal */
        #pragma unroll E::UNROLL
        for (int part = 0; part < TILE; part += 8 * N) {
            if (u + part > row + 16 * M - 1)
                break;                  /* all of it is masked */
            /* add the part of 8 N keys to out */
            const unsigned keys = now + part * PITCH<E, HS>;
            float s[M][N][4];
            E::dots(s, q, keys);

            /* mask later keys */
            if (u + part + 8 * N - 1 > row)
                #pragma unroll
                for (int i = 0; i < M; i++)
                    for (int n = 0; n < N; n++)
                        for (int j = 0; j < 4; j++)
                            if (u + part + n * 8 + lane % 4 * 2 + j % 2
                                > row + i * 16 + lane / 4 + j / 2 * 8)
                                s[i][n][j] = -INFINITY;
            online_softmax<HS, M, N>(s, out, row_max, sum, scale);
            E::add_rows(out, s, keys + TILE_BYTES<E, HS>);
        }
    }
    /* divide by the sums; write y and lse */
    #pragma unroll
    for (int i = 0; i < M; i++)
        #pragma unroll
        for (int r = 0; r < 2; r++) {
            const int at_row = row + i * 16 + lane / 4 + r * 8;
            const float all = quad_sum(sum[i][r]), part = 1 / all;
            if (at_row >= T)
                continue;
            write_row<E>(y + (b * T + at_row) * C + h, out[i], r, part);
            if (lane % 4 == 0)
                lse[head * T + at_row] = row_max[i][r] * scale * LN2
                                       + vlog(all);
        }
}

/* compute dq of 64 M queries */
/* dq of 64 M queries of one head. */
template <class E, int HS, int M, int N, int BLOCKS>
__global__ void __launch_bounds__(THREADS4, BLOCKS)
attention_mma_bwd_dq(Number<E> *dqkv, float *sums, const Number<E> *dy,
                     const Number<E> *qkv, const float *lse,
                     const float *dsum, int T, int C, int NH, float scale)
{
    extern __shared__ uint4 shared[];
    const unsigned at = shared_address(shared);
    /* find the first query t of this block, and its head */
    const int tiles = (T + 64 * M - 1) / (64 * M);
    const size_t head = blockIdx.x / tiles, b = head / NH, h = head % NH * HS;
    const int t = (tiles - 1 - blockIdx.x % tiles) * 64 * M;   /* long first */
    const int lane = threadIdx.x % 32;
    const int row = t + threadIdx.x / 32 * 16 * M;  /* the warp's first */
    const size_t ld = 3 * (size_t)C;
    qkv += b * T * ld + h;
    const int last = min(t + 64 * M, T);
    dy += b * T * C + h;
    dqkv += b * T * ld + h;
    unsigned q[M][HS / E::DEPTH][4], g[M][HS / E::DEPTH][4];
    float dq[M][HS / 8][4] = {}, l[M][2], d[M][2];
    /* start copies of the queries and of their gradients */
    load_rows<E, HS, 64 * M>(at, qkv, ld, t, T);
    load_rows<E, HS, 64 * M>(at + 2 * TILE_BYTES<E, HS>, dy, C, t, T);
    /* load them, lse and D into registers; start the first keys */
    cp_async_wait_all();
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < M; i++) {
        const unsigned from = at + (row - t + 16 * i) * PITCH<E, HS>;
        load_a<E>(q[i], from);
        load_a<E>(g[i], from + 2 * TILE_BYTES<E, HS>);
        for (int r = 0; r < 2; r++) {
            const int at_row = row + i * 16 + lane / 4 + r * 8;
            l[i][r] = at_row < T ? lse[head * T + at_row] * LOG2E : 0;
            d[i][r] = at_row < T ? dsum[head * T + at_row] : 0;
        }
    }
    __syncthreads();
    load_rows<E, HS, TILE>(at, qkv + C, ld, 0, T);
    load_rows<E, HS, TILE>(at + TILE_BYTES<E, HS>, qkv + 2 * C, ld, 0, T);
    for (int u = 0; u < last; u += TILE) {
        /* wait for keys and values u to u + 63, start the next copies */
        const unsigned now = at + u / TILE % 2 * 2 * TILE_BYTES<E, HS>;
        const unsigned next = at + (u / TILE + 1) % 2 * 2 * TILE_BYTES<E, HS>;
        cp_async_wait_all();
        __syncthreads();
        if (u + TILE < last) {
            load_rows<E, HS, TILE>(next, qkv + C, ld, u + TILE, T);
            load_rows<E, HS, TILE>(next + TILE_BYTES<E, HS>, qkv + 2 * C, ld,
                                   u + TILE, T);
        }
        /* use them in parts, for dq */
        #pragma unroll E::UNROLL
        for (int part = 0; part < TILE; part += 8 * N) {
            if (u + part > row + 16 * M - 1)
                break;
            /* add the part of N x 8 keys to dq */
            const unsigned keys = now + part * PITCH<E, HS>;
            float s[M][N][4], dp[M][N][4];
            E::dots(s, q, keys);
            E::dots(dp, g, keys + TILE_BYTES<E, HS>);
            #pragma unroll
            for (int i = 0; i < M; i++)
                for (int n = 0; n < N; n++)
                    for (int j = 0; j < 4; j++) {
                        const float p = fast_exp2(fmaf(s[i][n][j], scale,
                                                       -l[i][j / 2]));
                        s[i][n][j] = p * (dp[i][n][j] - d[i][j / 2]);
                    }

            /* set gradients of later keys to zero */
            if (u + part + 8 * N - 1 > row)
                #pragma unroll
                for (int i = 0; i < M; i++)
                    for (int n = 0; n < N; n++)
                        for (int j = 0; j < 4; j++)
                            if (u + part + n * 8 + lane % 4 * 2 + j % 2
                                > row + i * 16 + lane / 4 + j / 2 * 8)
                                s[i][n][j] = 0;
            E::add_rows(dq, s, keys);
        }
    }
    /* write dq */
    #pragma unroll
    for (int i = 0; i < M; i++)
        write_rows<E>(dqkv, dq[i], scale * LN2, ld, row + 16 * i, T);
    if (E::SUMS && sums)
        sum_columns<HS, M>(sums + (b * tiles + t / (64 * M)) * C + h, dq,
                           scale * LN2, (float *)shared);
}

/* compute dk and dv of 64 M keys */
/* dk and dv of 64 M keys of one head; a warp has 16 M of them. */
template <class E, int HS, int M, int N, int BLOCKS>
__global__ void __launch_bounds__(THREADS4, BLOCKS)
attention_mma_bwd_dkv(Number<E> *dqkv, float *sums, const Number<E> *dy,
                      const Number<E> *qkv, const float *lse,
                      const float *dsum, int T, int C, int NH, float scale)
{
    extern __shared__ uint4 shared[];
    const unsigned at = shared_address(shared);
    float *stat = (float *)((char *)shared + 4 * TILE_BYTES<E, HS>);
    /* find the first key u of this block, and its head */
    const int tiles = (T + 64 * M - 1) / (64 * M);
    const size_t head = blockIdx.x / tiles, b = head / NH, h = head % NH * HS;
    const int u = blockIdx.x % tiles * 64 * M;
    const int lane = threadIdx.x % 32, row = u + threadIdx.x / 32 * 16 * M;
    const size_t ld = 3 * (size_t)C;
    qkv += b * T * ld + h;
    dqkv += b * T * ld + h;
    dy += b * T * C + h;
    lse += head * T;
    dsum += head * T;
    unsigned k[M][HS / E::DEPTH][4], v[M][HS / E::DEPTH][4];
    float dk[M][HS / 8][4] = {}, dv[M][HS / 8][4] = {};
    /* load the keys and values of this warp into registers */
    load_rows<E, HS, 64 * M>(at, qkv + C, ld, u, T);
    load_rows<E, HS, 64 * M>(at + 2 * TILE_BYTES<E, HS>, qkv + 2 * C, ld, u, T);
    cp_async_wait_all();
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < M; i++) {
        const unsigned from = at + (row - u + 16 * i) * PITCH<E, HS>;
        load_a<E>(k[i], from);
        load_a<E>(v[i], from + 2 * TILE_BYTES<E, HS>);
    }
    __syncthreads();
    load_rows<E, HS, TILE>(at, qkv, ld, u, T);
    load_rows<E, HS, TILE>(at + TILE_BYTES<E, HS>, dy, C, u, T);
    stat[threadIdx.x] = statistic(lse, dsum, u, T);
    for (int t = u; t < T; t += TILE) {
        /* wait for queries t to t + 63, start the next copies */
        const int stage = (t - u) / TILE % 2;
        const unsigned now = at + stage * 2 * TILE_BYTES<E, HS>;
        const unsigned next = at + (1 - stage) * 2 * TILE_BYTES<E, HS>;
        const float *l = stat + stage * THREADS4, *d = l + TILE;
        float coming = 0;
        cp_async_wait_all();
        __syncthreads();
        if (t + TILE < T) {
            load_rows<E, HS, TILE>(next, qkv, ld, t + TILE, T);
            load_rows<E, HS, TILE>(next + TILE_BYTES<E, HS>, dy, C, t + TILE, T);
            coming = statistic(lse, dsum, t + TILE, T);
        }
        /* use them in parts, from the diagonal on */
        #pragma unroll E::UNROLL
        for (int part = 0; part < TILE; part += 8 * N) {
            if (t + part + 8 * N - 1 < row)
                continue;               /* none of them sees these keys */
            /* add the part of N x 8 queries to dk and dv */
            const unsigned queries = now + part * PITCH<E, HS>;
            float s[M][N][4], dp[M][N][4];
            E::dots(s, k, queries);
            E::dots(dp, v, queries + TILE_BYTES<E, HS>);
            #pragma unroll
            for (int i = 0; i < M; i++)
                for (int n = 0; n < N; n++)
                    for (int j = 0; j < 4; j++) {
                        const int column = part + n * 8 + lane % 4 * 2 + j % 2;
                        s[i][n][j] = fast_exp2(fmaf(s[i][n][j], scale, -l[column]));
                        dp[i][n][j] = s[i][n][j] * (dp[i][n][j] - d[column]);
                    }

            /* set terms of earlier queries to zero */
            if (t + part < row + 16 * M - 1)
                #pragma unroll
                for (int i = 0; i < M; i++)
                    for (int n = 0; n < N; n++)
                        for (int j = 0; j < 4; j++)
                            if (t + part + n * 8 + lane % 4 * 2 + j % 2
                                < row + i * 16 + lane / 4 + j / 2 * 8)
                                s[i][n][j] = dp[i][n][j] = 0;
            E::add_rows(dv, s, queries + TILE_BYTES<E, HS>);
            E::add_rows(dk, dp, queries);
        }
        stat[(1 - stage) * THREADS4 + threadIdx.x] = coming;
    }
    /* write dk and dv */
    #pragma unroll
    for (int i = 0; i < M; i++) {
        write_rows<E>(dqkv + C, dk[i], scale * LN2, ld, row + 16 * i, T);
        write_rows<E>(dqkv + 2 * C, dv[i], 1, ld, row + 16 * i, T);
    }
    if (E::SUMS && sums)
        sum_columns<HS, M>(sums + (b * tiles + u / (64 * M)) * C + h, dv, 1,
                           (float *)shared);
}

/* launch the kernels of attention */
/* 1 / sqrt(HS), for powers of 2 */
static float exponent_scale(int HS)
{
    return LOG2E / sqrtf((float)HS);
}

template <class E, int HS, int M, int N, int BLOCKS>
static void forward(Number<E> *y, float *lse, const Number<E> *qkv, int B,
                    int T, int C, int NH)
{
    const auto kernel = attention_mma_fwd_kernel<E, HS, M, N, BLOCKS>;
    const size_t heads = (size_t)B * NH, bytes = 4 * TILE_BYTES<E, HS>;
    allow_shared_memory(kernel, bytes);
    kernel<<<blocks_for(heads * blocks_for(T, 64 * M), 1), THREADS4, bytes,
             backend_stream()>>>(y, lse, qkv, T, C, NH, exponent_scale(HS));
    LAUNCHED();
}

template <class E, int HS, int M, int N, int BLOCKS>
static void backward_q(Number<E> *dqkv, float *sums, const Number<E> *dy,
                       const Number<E> *qkv, const float *lse,
                       const float *dsum, int B, int T, int C, int NH)
{
    const auto kernel = attention_mma_bwd_dq<E, HS, M, N, BLOCKS>;
    const size_t heads = (size_t)B * NH, bytes = 4 * TILE_BYTES<E, HS>;
    allow_shared_memory(kernel, bytes);
    kernel<<<blocks_for(heads * blocks_for(T, 64 * M), 1), THREADS4, bytes,
             backend_stream()>>>(dqkv, sums, dy, qkv, lse, dsum, T, C, NH,
                                 exponent_scale(HS));
    LAUNCHED();
}

template <class E, int HS, int M, int N, int BLOCKS>
static void backward_kv(Number<E> *dqkv, float *sums, const Number<E> *dy,
                        const Number<E> *qkv, const float *lse,
                        const float *dsum, int B, int T, int C, int NH)
{
    const auto kernel = attention_mma_bwd_dkv<E, HS, M, N, BLOCKS>;
    const size_t heads = (size_t)B * NH;
    const size_t bytes = 4 * TILE_BYTES<E, HS> + 4 * TILE * sizeof(float);
    allow_shared_memory(kernel, bytes);
    kernel<<<blocks_for(heads * blocks_for(T, 64 * M), 1), THREADS4, bytes,
             backend_stream()>>>(dqkv, sums, dy, qkv, lse, dsum, T, C, NH,
                                 exponent_scale(HS));
    LAUNCHED();
}

#endif
