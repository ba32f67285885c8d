/* Tangled from chapters/tricks/attention.nw, "Two products".  Edit it there. */

#include "ops/attention/attention_bf16_impls.h"
#include "ops/attention/mma_rows.cuh"
#include "ops/kernels/common.cuh"
#include "ops/kernels/ptx.cuh"

/* tiles of rows in shared memory */
/* Rows of a tile are 16 bytes longer than the head: eight of them start in
 * different banks. */
#define PITCH(HS) ((HS) + 8)
#define TILE_BYTES(HS) (TILE * PITCH(HS) * 2)

/* Copy rows t to t + R - 1 of a head, ld apart; zero from row T on. */
template <int HS, int R> DEVICE_INLINE void
load_rows(unsigned to, const bf16 *from, size_t ld, int t, int T)
{
    constexpr int pieces = HS / 8;              /* 16 bytes each */
    for (int i = threadIdx.x; i < R * pieces; i += THREADS4) {
        const int row = i / pieces, c = i % pieces * 8;
        const bool there = t + row < T;
        cp_async(to + (row * PITCH(HS) + c) * 2,
                 from + (there ? (t + row) * ld + c : 0), there ? 16 : 0);
    }
}

/* Where this lane finds its row of a fragment: of A, and of B when the
 * tile's rows run along k ... */
template <int HS> DEVICE_INLINE unsigned lane_down(int lane)
{
    return (lane % 16 * PITCH(HS) + lane / 16 * 8) * 2;
}

/* ... and of B when they run along n. */
template <int HS> DEVICE_INLINE unsigned lane_across(int lane)
{
    return ((lane / 16 * 8 + lane % 8) * PITCH(HS) + lane / 8 % 2 * 8) * 2;
}

/* The 16 rows at `at` as operand A, HS / 16 fragments. */
template <int HS>
DEVICE_INLINE void load_a(unsigned a[HS / 16][4], unsigned at)
{
    at += lane_down<HS>(threadIdx.x % 32);
    #pragma unroll
    for (int k = 0; k < HS / 16; k++)
        ldmatrix(a[k], at + k * 32);
}

/* what a warp does with rows in registers */
/* s = rows of a times rows of a tile */
/* s [16 M][8 N] = a times the transpose of the 8 N rows at `at` */
template <int HS, int M, int N>
DEVICE_INLINE void dots(float s[M][N][4], const unsigned a[M][HS / 16][4],
                        unsigned at)
{
    at += lane_across<HS>(threadIdx.x % 32);
    #pragma unroll
    for (int k = 0; k < HS / 16; k++)
        #pragma unroll
        for (int n = 0; n < N; n += 2) {
            /* multiply by 16 rows of the tile, laid on their side */
            unsigned b[4];
            ldmatrix(b, at + (n * 8 * PITCH(HS) + k * 16) * 2);
            #pragma unroll
            for (int i = 0; i < M; i++) {
                mma_m16n8k16(s[i][n], a[i][k], b[0], b[1], k == 0);
                mma_m16n8k16(s[i][n + 1], a[i][k], b[2], b[3], k == 0);
            }
        }
}

/* d += p times a tile */
/* d [16 M][HS] += p [16 M][8 N], rounded to bf16, times the 8 N rows at
 * `at` */
template <int HS, int M, int N>
DEVICE_INLINE void add_rows(float d[M][HS / 8][4], const float p[M][N][4],
                            unsigned at)
{
    at += lane_down<HS>(threadIdx.x % 32);
    #pragma unroll
    for (int k = 0; k < N / 2; k++) {
        unsigned a[M][4];
        /* a = 16 columns of p, rounded */
        #pragma unroll
        for (int i = 0; i < M; i++)
            for (int j = 0; j < 4; j++)
                a[i][j] = pack_two(p[i][2 * k + j / 2][j % 2 * 2],
                                   p[i][2 * k + j / 2][j % 2 * 2 + 1]);
        #pragma unroll
        for (int n = 0; n < HS / 8; n += 2) {
            /* multiply by 16 rows of the tile, 16 columns of it */
            unsigned b[4];
            ldmatrix_t(b, at + (k * 16 * PITCH(HS) + n * 8) * 2);
            #pragma unroll
            for (int i = 0; i < M; i++) {
                mma_m16n8k16(d[i][n], a[i], b[0], b[1]);
                mma_m16n8k16(d[i][n + 1], a[i], b[2], b[3]);
            }
        }
    }
}

/* results of a row */
/* Rows t to t + 15 of a head, ld apart, = times x, as bf16; none from T */
template <int HS> DEVICE_INLINE void
write_rows(bf16 *to, const float x[HS / 8][4], float times, size_t ld,
           int t, int T)
{
    const int lane = threadIdx.x % 32;
    #pragma unroll
    for (int r = 0; r < 2; r++) {
        const int row = t + lane / 4 + r * 8;
        if (row >= T)
            continue;
        unsigned *words = (unsigned *)(to + row * ld);
        #pragma unroll
        for (int n = 0; n < HS / 8; n++)
            words[n * 4 + lane % 4] = pack_two(x[n][2 * r] * times,
                                               x[n][2 * r + 1] * times);
    }
}

/* to[0 .. HS) = `times` the sums over the rows of all four warps */
template <int HS, int M>
DEVICE_INLINE void sum_columns(float *to, const float x[M][HS / 8][4],
                               float times, float *room)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    __syncthreads();                    /* nobody needs the tiles now */
    /* room = the sums over the rows of each warp */
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

/* attention forward */
/* y and lse of 64 M queries of one head; a warp has 16 M of them.
 *   launch    B NH ceil(T / 64 M) blocks of 128 threads
 *   shared    4 tiles: 36,864 bytes at HS = 64 */
template <int HS, int M, int N, int BLOCKS>
__global__ void __launch_bounds__(THREADS4, BLOCKS)
flash_fwd_kernel(bf16 *y, float *lse, const bf16 *qkv, int T, int C, int NH,
                 float scale)
{
    extern __shared__ uint4 shared[];
    const unsigned at = shared_address(shared);
    /* t, the first query of this block, and its head */
    const int tiles = (T + 64 * M - 1) / (64 * M);
    const size_t head = blockIdx.x / tiles, b = head / NH, h = head % NH * HS;
    const int t = (tiles - 1 - blockIdx.x % tiles) * 64 * M;   /* long first */
    const int lane = threadIdx.x % 32;
    const int row = t + threadIdx.x / 32 * 16 * M;  /* the warp's first */
    const size_t ld = 3 * (size_t)C;
    qkv += b * T * ld + h;
    const int last = min(t + 64 * M, T);
    unsigned q[M][HS / 16][4];
    float out[M][HS / 8][4] = {}, most[M][2], sum[M][2] = {};
    /* start copies of the queries and of the first keys and values */
    load_rows<HS, 64 * M>(at + 2 * TILE_BYTES(HS), qkv, ld, t, T);
    load_rows<HS, TILE>(at, qkv + C, ld, 0, T);
    load_rows<HS, TILE>(at + TILE_BYTES(HS), qkv + 2 * C, ld, 0, T);
    /* take the queries of this warp into registers */
    cp_async_wait_all();
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < M; i++) {
        load_a<HS>(q[i], at + 2 * TILE_BYTES(HS)
                         + (row - t + 16 * i) * PITCH(HS) * 2);
        most[i][0] = most[i][1] = -INFINITY;
    }
    for (int u = 0; u < last; u += TILE) {
        /* wait for keys and values u to u + 63, start the next copies */
        const unsigned now = at + u / TILE % 2 * 2 * TILE_BYTES(HS);
        const unsigned next = at + (u / TILE + 1) % 2 * 2 * TILE_BYTES(HS);
        cp_async_wait_all();
        __syncthreads();
        if (u + TILE < last) {
            load_rows<HS, TILE>(next, qkv + C, ld, u + TILE, T);
            load_rows<HS, TILE>(next + TILE_BYTES(HS), qkv + 2 * C, ld, u + TILE,
                                T);
        }
        /* use them in parts of 8 N keys, up to the diagonal */
        #pragma unroll
        for (int part = 0; part < TILE; part += 8 * N) {
            if (u + part > row + 16 * M - 1)
                break;                  /* all of it is the future */
            /* add the part of 8 N keys to out */
            const unsigned keys = now + part * PITCH(HS) * 2;
            float s[M][N][4];
            dots<HS, M, N>(s, q, keys);

            /* hide the future */
            if (u + part + 8 * N - 1 > row)
                #pragma unroll
                for (int i = 0; i < M; i++)
                    for (int n = 0; n < N; n++)
                        for (int j = 0; j < 4; j++)
                            if (u + part + n * 8 + lane % 4 * 2 + j % 2
                                > row + i * 16 + lane / 4 + j / 2 * 8)
                                s[i][n][j] = -INFINITY;
            online_softmax<HS, M, N>(s, out, most, sum, scale);
            add_rows<HS, M, N>(out, s, keys + TILE_BYTES(HS));
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
            unsigned *to = (unsigned *)(y + (b * T + at_row) * C + h);
            #pragma unroll
            for (int n = 0; n < HS / 8; n++)
                to[n * 4 + lane % 4] = pack_two(out[i][n][2 * r] * part,
                                                out[i][n][2 * r + 1] * part);
            if (lane % 4 == 0)
                lse[head * T + at_row] = most[i][r] * scale * LN2 + vlog(all);
        }
}

/* attention backward, dq */
/* dq of 64 M queries of one head. */
template <int HS, int M, int N>
__global__ void __launch_bounds__(THREADS4)
flash_bwd_dq(bf16 *dqkv, float *sums, const bf16 *dy, const bf16 *qkv,
             const float *lse, const float *dsum, int T, int C, int NH,
             float scale)
{
    extern __shared__ uint4 shared[];
    const unsigned at = shared_address(shared);
    /* t, the first query of this block, and its head */
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
    unsigned q[M][HS / 16][4], g[M][HS / 16][4];
    float dq[M][HS / 8][4] = {}, l[M][2], d[M][2];
    /* start copies of the queries and of their gradients */
    load_rows<HS, 64 * M>(at, qkv, ld, t, T);
    load_rows<HS, 64 * M>(at + 2 * TILE_BYTES(HS), dy, C, t, T);
    /* take them, lse and D into registers; start the first keys */
    cp_async_wait_all();
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < M; i++) {
        const unsigned from = at + (row - t + 16 * i) * PITCH(HS) * 2;
        load_a<HS>(q[i], from);
        load_a<HS>(g[i], from + 2 * TILE_BYTES(HS));
        for (int r = 0; r < 2; r++) {
            const int at_row = row + i * 16 + lane / 4 + r * 8;
            l[i][r] = at_row < T ? lse[head * T + at_row] * LOG2E : 0;
            d[i][r] = at_row < T ? dsum[head * T + at_row] : 0;
        }
    }
    __syncthreads();
    load_rows<HS, TILE>(at, qkv + C, ld, 0, T);
    load_rows<HS, TILE>(at + TILE_BYTES(HS), qkv + 2 * C, ld, 0, T);
    for (int u = 0; u < last; u += TILE) {
        /* wait for keys and values u to u + 63, start the next copies */
        const unsigned now = at + u / TILE % 2 * 2 * TILE_BYTES(HS);
        const unsigned next = at + (u / TILE + 1) % 2 * 2 * TILE_BYTES(HS);
        cp_async_wait_all();
        __syncthreads();
        if (u + TILE < last) {
            load_rows<HS, TILE>(next, qkv + C, ld, u + TILE, T);
            load_rows<HS, TILE>(next + TILE_BYTES(HS), qkv + 2 * C, ld, u + TILE,
                                T);
        }
        /* use them in parts, for dq */
        #pragma unroll
        for (int part = 0; part < TILE; part += 8 * N) {
            if (u + part > row + 16 * M - 1)
                break;
            /* add the part of N x 8 keys to dq */
            const unsigned keys = now + part * PITCH(HS) * 2;
            float s[M][N][4], dp[M][N][4];
            dots<HS, M, N>(s, q, keys);
            dots<HS, M, N>(dp, g, keys + TILE_BYTES(HS));
            #pragma unroll
            for (int i = 0; i < M; i++)
                for (int n = 0; n < N; n++)
                    for (int j = 0; j < 4; j++) {
                        const float p = fast_exp2(fmaf(s[i][n][j], scale,
                                                       -l[i][j / 2]));
                        s[i][n][j] = p * (dp[i][n][j] - d[i][j / 2]);
                    }

            /* no gradient from the future */
            if (u + part + 8 * N - 1 > row)
                #pragma unroll
                for (int i = 0; i < M; i++)
                    for (int n = 0; n < N; n++)
                        for (int j = 0; j < 4; j++)
                            if (u + part + n * 8 + lane % 4 * 2 + j % 2
                                > row + i * 16 + lane / 4 + j / 2 * 8)
                                s[i][n][j] = 0;
            add_rows<HS, M, N>(dq, s, keys);
        }
    }
    /* write dq */
    #pragma unroll
    for (int i = 0; i < M; i++)
        write_rows<HS>(dqkv, dq[i], scale * LN2, ld, row + 16 * i, T);
    if (sums)
        sum_columns<HS, M>(sums + (b * tiles + t / (64 * M)) * C + h, dq,
                           scale * LN2, (float *)shared);
}

/* attention backward, dk and dv */
/* dk and dv of 64 M keys of one head; a warp has 16 M of them. */
template <int HS, int M, int N>
__global__ void __launch_bounds__(THREADS4)
flash_bwd_dkv(bf16 *dqkv, float *sums, const bf16 *dy, const bf16 *qkv,
              const float *lse, const float *dsum, int T, int C, int NH,
              float scale)
{
    extern __shared__ uint4 shared[];
    const unsigned at = shared_address(shared);
    float *stat = (float *)((char *)shared + 4 * TILE_BYTES(HS));
    /* u, the first key of this block, and its head */
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
    unsigned k[M][HS / 16][4], v[M][HS / 16][4];
    float dk[M][HS / 8][4] = {}, dv[M][HS / 8][4] = {};
    /* take the keys and values of this warp into registers */
    load_rows<HS, 64 * M>(at, qkv + C, ld, u, T);
    load_rows<HS, 64 * M>(at + 2 * TILE_BYTES(HS), qkv + 2 * C, ld, u, T);
    cp_async_wait_all();
    __syncthreads();
    #pragma unroll
    for (int i = 0; i < M; i++) {
        const unsigned from = at + (row - u + 16 * i) * PITCH(HS) * 2;
        load_a<HS>(k[i], from);
        load_a<HS>(v[i], from + 2 * TILE_BYTES(HS));
    }
    __syncthreads();
    load_rows<HS, TILE>(at, qkv, ld, u, T);
    load_rows<HS, TILE>(at + TILE_BYTES(HS), dy, C, u, T);
    stat[threadIdx.x] = statistic(lse, dsum, u, T);
    for (int t = u; t < T; t += TILE) {
        /* wait for queries t to t + 63, start the next copies */
        const int stage = (t - u) / TILE % 2;
        const unsigned now = at + stage * 2 * TILE_BYTES(HS);
        const unsigned next = at + (1 - stage) * 2 * TILE_BYTES(HS);
        const float *l = stat + stage * THREADS4, *d = l + TILE;
        float coming = 0;
        cp_async_wait_all();
        __syncthreads();
        if (t + TILE < T) {
            load_rows<HS, TILE>(next, qkv, ld, t + TILE, T);
            load_rows<HS, TILE>(next + TILE_BYTES(HS), dy, C, t + TILE, T);
            coming = statistic(lse, dsum, t + TILE, T);
        }
        /* use them in parts, from the diagonal on */
        #pragma unroll
        for (int part = 0; part < TILE; part += 8 * N) {
            if (t + part + 8 * N - 1 < row)
                continue;               /* none of them sees these keys */
            /* add the part of N x 8 queries to dk and dv */
            const unsigned queries = now + part * PITCH(HS) * 2;
            float s[M][N][4], dp[M][N][4];
            dots<HS, M, N>(s, k, queries);
            dots<HS, M, N>(dp, v, queries + TILE_BYTES(HS));
            #pragma unroll
            for (int i = 0; i < M; i++)
                for (int n = 0; n < N; n++)
                    for (int j = 0; j < 4; j++) {
                        const int column = part + n * 8 + lane % 4 * 2 + j % 2;
                        s[i][n][j] = fast_exp2(fmaf(s[i][n][j], scale, -l[column]));
                        dp[i][n][j] = s[i][n][j] * (dp[i][n][j] - d[column]);
                    }

            /* nothing from queries that do not see the key */
            if (t + part < row + 16 * M - 1)
                #pragma unroll
                for (int i = 0; i < M; i++)
                    for (int n = 0; n < N; n++)
                        for (int j = 0; j < 4; j++)
                            if (t + part + n * 8 + lane % 4 * 2 + j % 2
                                < row + i * 16 + lane / 4 + j / 2 * 8)
                                s[i][n][j] = dp[i][n][j] = 0;
            add_rows<HS, M, N>(dv, s, queries + TILE_BYTES(HS));
            add_rows<HS, M, N>(dk, dp, queries);
        }
        stat[(1 - stage) * THREADS4 + threadIdx.x] = coming;
    }
    /* write dk and dv */
    #pragma unroll
    for (int i = 0; i < M; i++) {
        write_rows<HS>(dqkv + C, dk[i], scale * LN2, ld, row + 16 * i, T);
        write_rows<HS>(dqkv + 2 * C, dv[i], 1, ld, row + 16 * i, T);
    }
    if (sums)
        sum_columns<HS, M>(sums + (b * tiles + u / (64 * M)) * C + h, dv, 1,
                           (float *)shared);
}

/* launch attention on tensor cores */
/* Has the GPU what the kernels need? */
static bool has_bf16(void)
{
    const int major = gpu_attribute(cudaDevAttrComputeCapabilityMajor);
    if (major < 8)
        backend_failed("attention in bf16: this GPU's tensor cores do not "
                       "know bf16, compute capability %d; 8.0 is needed: "
                       "use --precision fp32", major);
    return major >= 8;
}

/* 1 / sqrt(HS), for powers of 2 */
static float exponent_scale(int HS)
{
    return LOG2E / sqrtf((float)HS);
}

template <int HS, int M, int N, int BLOCKS>
static void forward(bf16 *y, float *lse, const bf16 *qkv, int B, int T,
                    int C, int NH)
{
    const size_t heads = (size_t)B * NH, bytes = 4 * TILE_BYTES(HS);
    allow_shared_memory(flash_fwd_kernel<HS, M, N, BLOCKS>, bytes);
    flash_fwd_kernel<HS, M, N, BLOCKS>
        <<<blocks_for(heads * blocks_for(T, 64 * M), 1), THREADS4, bytes,
          backend_stream()>>>(y, lse, qkv, T, C, NH, exponent_scale(HS));
    LAUNCHED();
}

void attention_bf16_fwd_mma(bf16 *y, float *lse, const bf16 *qkv, int B,
                            int T, int C, int NH)
{
    if (!has_bf16())
        return;
    switch (C / NH) {
    case 32: forward<32, 2, 4, 3>(y, lse, qkv, B, T, C, NH); break;
    case 64: forward<64, 2, 4, 3>(y, lse, qkv, B, T, C, NH); break;
    case 80: forward<80, 2, 4, 2>(y, lse, qkv, B, T, C, NH); break;
    default: forward<128, 1, 8, 2>(y, lse, qkv, B, T, C, NH);
    }
}

template <int HS, int MQ, int NQ, int MK, int NK>
static void backward(bf16 *dqkv, struct FlashSums *sums, const bf16 *dy,
                     const bf16 *qkv, const float *lse, const float *dsum,
                     int B, int T, int C, int NH)
{
    const size_t heads = (size_t)B * NH, bytes = 4 * TILE_BYTES(HS);
    const size_t more = bytes + 4 * TILE * sizeof(float);
    const float scale = exponent_scale(HS);
    /* launch dk and dv, then dq */
    allow_shared_memory(flash_bwd_dkv<HS, MK, NK>, more);
    flash_bwd_dkv<HS, MK, NK>
        <<<blocks_for(heads * blocks_for(T, 64 * MK), 1), THREADS4, more,
          backend_stream()>>>(dqkv, sums->v, dy, qkv, lse, dsum, T, C, NH,
                            scale);
    LAUNCHED();
    allow_shared_memory(flash_bwd_dq<HS, MQ, NQ>, bytes);
    flash_bwd_dq<HS, MQ, NQ>
        <<<blocks_for(heads * blocks_for(T, 64 * MQ), 1), THREADS4, bytes,
          backend_stream()>>>(dqkv, sums->q, dy, qkv, lse, dsum, T, C, NH,
                            scale);
    LAUNCHED();
    sums->q_parts = B * (int)blocks_for(T, 64 * MQ);
    sums->v_parts = B * (int)blocks_for(T, 64 * MK);
}

void attention_bf16_bwd_mma(bf16 *dqkv, struct FlashSums *sums,
                            const bf16 *dy, const bf16 *qkv,
                            const float *lse, const float *dsum, int B,
                            int T, int C, int NH)
{
    void (*run)(bf16 *, struct FlashSums *, const bf16 *, const bf16 *,
                const float *, const float *, int, int, int, int);
    if (!has_bf16())
        return;
    switch (C / NH) {
    case 32: run = backward<32, 2, 4, 2, 2>; break;
    case 64: run = backward<64, 2, 4, 2, 2>; break;
    case 80: run = backward<80, 2, 2, 1, 4>; break;
    default: run = backward<128, 1, 2, 1, 2>;
    }
    run(dqkv, sums, dy, qkv, lse, dsum, B, T, C, NH);
}
