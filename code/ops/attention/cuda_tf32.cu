/* Tangled from chapters/workshop/matmul-plumbing.nw, "Launching attention".  Edit it there. */

#include "ops/attention/mma_rows.cuh"
#include "ops/fp32/fp32.h"
#include "ops/kernels/common.cuh"
#include "ops/kernels/ptx.cuh"

namespace {

/* operands of 11 or 22 bits */
/* What tensor cores cut off is made up for in the mean: a float times this
 * and cut to 11 bits is off by at most 0.7 of their last, and as often up
 * as down; one that has no more than 11 bits stays itself. */
#define ROUNDING (1 + 0.6931f / 2048)

template <int TERMS> struct Operand { unsigned part[2]; };

template <int TERMS> DEVICE_INLINE Operand<TERMS> operand(unsigned x)
{
    const float f = __uint_as_float(x);
    Operand<TERMS> o;
    o.part[0] = __float_as_uint(f * ROUNDING);
    if (TERMS == 3) {
        o.part[0] &= ~0x1fffu;
        o.part[1] = __float_as_uint((f - __uint_as_float(o.part[0]))
                                    * ROUNDING);
    }
    return o;
}

/* An operand of 16 x 8 in parts: of[0], and for three terms of[1], what is
 * left of it. */
template <int TERMS> struct Left { unsigned of[TERMS / 2 + 1][4]; };

template <int TERMS> DEVICE_INLINE Left<TERMS> left(const unsigned x[4])
{
    Left<TERMS> a;
    #pragma unroll
    for (int j = 0; j < 4; j++) {
        /* asm, so that the compiler does not keep x in parts */
        unsigned here = x[j];
        if (TERMS == 3)
            asm volatile("mov.b32 %0, %1;" : "=r"(here) : "r"(x[j]));
        const Operand<TERMS> o = operand<TERMS>(here);
        a.of[0][j] = o.part[0];
        if (TERMS == 3)
            a.of[TERMS / 2][j] = o.part[1];
    }
    return a;
}

/* d += a b: one product, or three, the small ones first, and their sum
 * added to d by itself */
template <int TERMS> DEVICE_INLINE void
multiply(float d[4], const Left<TERMS> &a, const Operand<TERMS> &b0,
         const Operand<TERMS> &b1)
{
    if (TERMS == 1) {
        mma_m16n8k8(d, a.of[0], b0.part[0], b1.part[0]);
        return;
    }
    /* add three products to d, by way of a sum of their own */
    float sum[4] = {};
    mma_m16n8k8(sum, a.of[TERMS / 2], b0.part[0], b1.part[0]);
    mma_m16n8k8(sum, a.of[0], b0.part[1], b1.part[1]);
    mma_m16n8k8(sum, a.of[0], b0.part[0], b1.part[0]);
    #pragma unroll
    for (int j = 0; j < 4; j++)
        d[j] += sum[j];
}
}

/* tiles of floats in shared memory */
/* Rows of a tile are 16 bytes longer than the head.  The pitch is in units
 * of two bytes, as in cuda_bf16_mma.cu: the kernels have lines in
 * common. */
#define PITCH(HS) (2 * (HS) + 8)
#define TILE_BYTES(HS) (TILE * PITCH(HS) * 2)

/* Copy rows t to t + R - 1 of a head, ld apart; zero from row T on. */
template <int HS, int R> DEVICE_INLINE void
load_rows(unsigned to, const float *from, size_t ld, int t, int T)
{
    constexpr int pieces = HS / 4;              /* 16 bytes each */
    for (int i = threadIdx.x; i < R * pieces; i += THREADS4) {
        const int row = i / pieces, c = i % pieces * 4;
        const bool there = t + row < T;
        cp_async(to + row * PITCH(HS) * 2 + c * 4,
                 from + (there ? (t + row) * ld + c : 0), there ? 16 : 0);
    }
}

/* The 16 rows at `at` as operand A, HS / 8 fragments. */
template <int HS>
DEVICE_INLINE void load_a(unsigned a[HS / 8][4], unsigned at)
{
    const int lane = threadIdx.x % 32;
    at += lane % 16 * PITCH(HS) * 2 + lane / 16 * 16;
    #pragma unroll
    for (int k = 0; k < HS / 8; k++)
        ldmatrix(a[k], at + k * 32);
}

/* s = rows of floats times rows of a tile */
/* s [16 M][8 N] = a times the transpose of the 8 N rows at `at` */
template <int HS, int M, int N, int TERMS>
DEVICE_INLINE void dots(float s[M][N][4], const unsigned a[M][HS / 8][4],
                        unsigned at)
{
    const int lane = threadIdx.x % 32;
    at += (lane / 16 * 8 + lane % 8) * PITCH(HS) * 2 + lane / 8 % 2 * 16;
    #pragma unroll
    for (int i = 0; i < M * N * 4; i++)
        s[i / 4 / N][i / 4 % N][i % 4] = 0;
    #pragma unroll
    for (int k = 0; k < HS / 8; k++) {
        Left<TERMS> row[M];
        #pragma unroll
        for (int i = 0; i < M; i++)
            row[i] = left<TERMS>(a[i][k]);
        /* multiply them by depth k of all rows of the tile */
        #pragma unroll
        for (int n = 0; n < N; n += 2) {
            unsigned w[4];
            Operand<TERMS> b[4];
            ldmatrix(w, at + n * 8 * PITCH(HS) * 2 + k * 32);
            #pragma unroll
            for (int j = 0; j < 4; j++)
                b[j] = operand<TERMS>(w[j]);
            #pragma unroll
            for (int i = 0; i < M; i++) {
                multiply<TERMS>(s[i][n], row[i], b[0], b[1]);
                multiply<TERMS>(s[i][n + 1], row[i], b[2], b[3]);
            }
        }
    }
}

/* d += p times a tile of floats */
/* d [16 M][HS] += p [16 M][8 N] times the 8 N rows at `at` */
template <int HS, int M, int N, int TERMS>
DEVICE_INLINE void add_rows(float d[M][HS / 8][4], const float p[M][N][4],
                            unsigned at)
{
    const int lane = threadIdx.x % 32;
    at += lane % 4 * 2 * PITCH(HS) * 2 + lane / 4 * 4;
    #pragma unroll
    for (int k = 0; k < N; k++, at += 8 * PITCH(HS) * 2) {
        Left<TERMS> a[M];
        /* a = eight columns of p, the even ones first */
        #pragma unroll
        for (int i = 0; i < M; i++) {
            const unsigned x[4] = {
                __float_as_uint(p[i][k][0]), __float_as_uint(p[i][k][2]),
                __float_as_uint(p[i][k][1]), __float_as_uint(p[i][k][3]) };
            a[i] = left<TERMS>(x);
        }
        /* multiply it by rows 2t and 2t + 1 of the tile */
        #pragma unroll
        for (int n = 0; n < HS / 8; n++) {
            const Operand<TERMS>
                even = operand<TERMS>(load_shared(at + n * 32)),
                odd = operand<TERMS>(load_shared(at + PITCH(HS) * 2
                                                 + n * 32));
            #pragma unroll
            for (int i = 0; i < M; i++)
                multiply<TERMS>(d[i][n], a[i], even, odd);
        }
    }
}

/* write rows of floats */
/* Rows t to t + 15 of a head, ld apart, = times x; none from T */
template <int HS> DEVICE_INLINE void
write_rows(float *to, const float x[HS / 8][4], float times, size_t ld,
           int t, int T)
{
    const int lane = threadIdx.x % 32;
    #pragma unroll
    for (int r = 0; r < 2; r++) {
        const int row = t + lane / 4 + r * 8;
        if (row >= T)
            continue;
        float2 *pairs = (float2 *)(to + row * ld);
        #pragma unroll
        for (int n = 0; n < HS / 8; n++)
            pairs[n * 4 + lane % 4] = make_float2(
                x[n][2 * r] * times, x[n][2 * r + 1] * times);
    }
}

/* attention forward in floats */
/* y and lse of 64 M queries of one head; a warp has 16 M of them.
 *   launch    B NH ceil(T / 64 M) blocks of 128 threads
 *   shared    4 tiles: 69,632 bytes at HS = 64
 *   numerics  TERMS 1: operands of 11 bits; 3: of 22, in two parts */
template <int HS, int M, int N, int TERMS, int BLOCKS>
__global__ void __launch_bounds__(THREADS4, BLOCKS)
attention_mma_fwd_kernel(float *y, float *lse, const float *qkv, int T,
                         int C, int NH, float scale)
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
    unsigned q[M][HS / 8][4];
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
    /* walk over keys and values, in floats */
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
        #pragma unroll 1
        for (int part = 0; part < TILE; part += 8 * N) {
            if (u + part > row + 16 * M - 1)
                break;                  /* all of it is the future */
            /* add the part of 8 N keys to out, in floats */
            const unsigned keys = now + part * PITCH(HS) * 2;
            float s[M][N][4];
            dots<HS, M, N, TERMS>(s, q, keys);

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
            add_rows<HS, M, N, TERMS>(out, s, keys + TILE_BYTES(HS));
        }
    }
    /* divide by the sums; write floats */
    y += b * T * C + h;
    #pragma unroll
    for (int i = 0; i < M; i++)
        #pragma unroll
        for (int r = 0; r < 2; r++) {
            const int at_row = row + i * 16 + lane / 4 + r * 8;
            const float all = quad_sum(sum[i][r]), part = 1 / all;
            #pragma unroll
            for (int n = 0; n < HS / 8; n++)
                for (int j = 2 * r; j < 2 * r + 2; j++)
                    out[i][n][j] *= part;
            if (lane % 4 == 0 && at_row < T)
                lse[head * T + at_row] = most[i][r] * scale * LN2 + vlog(all);
        }
    #pragma unroll
    for (int i = 0; i < M; i++)
        write_rows<HS>(y, out[i], 1, C, row + 16 * i, T);
}

/* attention backward in floats, dq */
/* dq of 64 M queries of one head. */
template <int HS, int M, int N, int TERMS, int BLOCKS>
__global__ void __launch_bounds__(THREADS4, BLOCKS)
attention_mma_bwd_dq(float *dqkv, const float *dy, const float *qkv,
                     const float *lse, const float *dsum, int T, int C,
                     int NH, float scale)
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
    unsigned q[M][HS / 8][4], g[M][HS / 8][4];
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
    /* walk over keys and values for dq, in floats */
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
        #pragma unroll 1
        for (int part = 0; part < TILE; part += 8 * N) {
            if (u + part > row + 16 * M - 1)
                break;
            /* add the part of N x 8 keys to dq, in floats */
            const unsigned keys = now + part * PITCH(HS) * 2;
            float s[M][N][4], dp[M][N][4];
            dots<HS, M, N, TERMS>(s, q, keys);
            dots<HS, M, N, TERMS>(dp, g, keys + TILE_BYTES(HS));
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
            add_rows<HS, M, N, TERMS>(dq, s, keys);
        }
    }
    #pragma unroll
    for (int i = 0; i < M; i++)
        write_rows<HS>(dqkv, dq[i], scale * LN2, ld, row + 16 * i, T);
}

/* attention backward in floats, dk and dv */
/* dk and dv of 64 M keys of one head; a warp has 16 M of them. */
template <int HS, int M, int N, int TERMS, int BLOCKS>
__global__ void __launch_bounds__(THREADS4, BLOCKS)
attention_mma_bwd_dkv(float *dqkv, const float *dy, const float *qkv,
                      const float *lse, const float *dsum, int T, int C,
                      int NH, float scale)
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
    unsigned k[M][HS / 8][4], v[M][HS / 8][4];
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
    /* walk over the queries, in floats */
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
        #pragma unroll 1
        for (int part = 0; part < TILE; part += 8 * N) {
            if (t + part + 8 * N - 1 < row)
                continue;               /* none of them sees these keys */
            /* add the part of N x 8 queries, in floats */
            const unsigned queries = now + part * PITCH(HS) * 2;
            float s[M][N][4], dp[M][N][4];
            dots<HS, M, N, TERMS>(s, k, queries);
            dots<HS, M, N, TERMS>(dp, v, queries + TILE_BYTES(HS));
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
            add_rows<HS, M, N, TERMS>(dv, s, queries + TILE_BYTES(HS));
            add_rows<HS, M, N, TERMS>(dk, dp, queries);
        }
        stat[(1 - stage) * THREADS4 + threadIdx.x] = coming;
    }
    /* write dk and dv, floats */
    #pragma unroll
    for (int i = 0; i < M; i++) {
        write_rows<HS>(dqkv + C, dk[i], scale * LN2, ld, row + 16 * i, T);
        write_rows<HS>(dqkv + 2 * C, dv[i], 1, ld, row + 16 * i, T);
    }
}

/* is there a kernel for these heads? */
static bool possible(int HS)
{
    return fp32_terms() && (HS == 32 || HS == 64 || HS == 80 || HS == 128)
        && gpu_attribute(cudaDevAttrComputeCapabilityMajor) >= 8;
}

/* launch attention in floats */
template <int HS, int M, int N, int TERMS, int BLOCKS>
static void forward(float *y, float *lse, const float *qkv, int B, int T,
                    int C, int NH)
{
    const size_t heads = (size_t)B * NH, bytes = 4 * TILE_BYTES(HS);
    allow_shared_memory(attention_mma_fwd_kernel<HS, M, N, TERMS, BLOCKS>,
                        bytes);
    attention_mma_fwd_kernel<HS, M, N, TERMS, BLOCKS>
        <<<blocks_for(heads * blocks_for(T, 64 * M), 1), THREADS4, bytes,
          backend_stream()>>>(y, lse, qkv, T, C, NH,
                            LOG2E / sqrtf((float)HS));
    LAUNCHED();
}

template <int TERMS>
static void forward_by(float *y, float *lse, const float *qkv, int B, int T,
                       int C, int NH)
{
    switch (C / NH) {
    case 32: forward<32, 2, 4, TERMS, 3>(y, lse, qkv, B, T, C, NH); break;
    case 64: forward<64, 2, 4, TERMS, 2>(y, lse, qkv, B, T, C, NH); break;
    case 80: forward<80, 1, 4, TERMS, 2>(y, lse, qkv, B, T, C, NH); break;
    default: forward<128, 1, 4, TERMS, 1>(y, lse, qkv, B, T, C, NH);
    }
}

bool fp32_attention_fwd(float *y, float *lse, const float *qkv,
                        int B, int T, int C, int NH)
{
    if (!possible(C / NH))
        return false;
    if (fp32_terms() == 1)
        forward_by<1>(y, lse, qkv, B, T, C, NH);
    else
        forward_by<3>(y, lse, qkv, B, T, C, NH);
    return true;
}

template <int HS, int M, int N, int TERMS, int BLOCKS>
static void backward_q(float *dqkv, const float *dy, const float *qkv,
                       const float *lse, const float *delta, int B, int T,
                       int C, int NH)
{
    const size_t heads = (size_t)B * NH, bytes = 4 * TILE_BYTES(HS);
    allow_shared_memory(attention_mma_bwd_dq<HS, M, N, TERMS, BLOCKS>,
                        bytes);
    attention_mma_bwd_dq<HS, M, N, TERMS, BLOCKS>
        <<<blocks_for(heads * blocks_for(T, 64 * M), 1), THREADS4, bytes,
          backend_stream()>>>(dqkv, dy, qkv, lse, delta, T, C, NH,
                            LOG2E / sqrtf((float)HS));
    LAUNCHED();
}

template <int HS, int M, int N, int TERMS, int BLOCKS>
static void backward_kv(float *dqkv, const float *dy, const float *qkv,
                        const float *lse, const float *delta, int B, int T,
                        int C, int NH)
{
    const size_t heads = (size_t)B * NH;
    const size_t bytes = 4 * TILE_BYTES(HS) + 4 * TILE * sizeof(float);
    allow_shared_memory(attention_mma_bwd_dkv<HS, M, N, TERMS, BLOCKS>,
                        bytes);
    attention_mma_bwd_dkv<HS, M, N, TERMS, BLOCKS>
        <<<blocks_for(heads * blocks_for(T, 64 * M), 1), THREADS4, bytes,
          backend_stream()>>>(dqkv, dy, qkv, lse, delta, T, C, NH,
                            LOG2E / sqrtf((float)HS));
    LAUNCHED();
}

template <int TERMS>
static void backward_by(float *dqkv, const float *dy, const float *qkv,
                        const float *lse, const float *delta, int B, int T,
                        int C, int NH)
{
    typedef void Run(float *, const float *, const float *, const float *,
                     const float *, int, int, int, int);
    const bool one = TERMS == 1;
    Run *q, *kv;
    switch (C / NH) {
    case 32: q = backward_q<32, 1, 4, TERMS, 2>;
             kv = backward_kv<32, 1, 4, TERMS, 2>; break;
    case 64: q = backward_q<64, 1, one ? 2 : 4, TERMS, one ? 3 : 2>;
             kv = backward_kv<64, 1, one ? 8 : 4, TERMS, 2>; break;
    case 80: q = backward_q<80, 1, 2, TERMS, 2>;
             kv = backward_kv<80, 1, 2, TERMS, 2>; break;
    default: q = backward_q<128, 1, 2, TERMS, 1>;
             kv = backward_kv<128, 1, 2, TERMS, 1>;
    }
    kv(dqkv, dy, qkv, lse, delta, B, T, C, NH);
    q(dqkv, dy, qkv, lse, delta, B, T, C, NH);
}

bool fp32_attention_bwd(float *dqkv, const float *dy, const float *qkv,
                        const float *lse, const float *delta,
                        int B, int T, int C, int NH)
{
    if (!possible(C / NH))
        return false;
    if (fp32_terms() == 1)
        backward_by<1>(dqkv, dy, qkv, lse, delta, B, T, C, NH);
    else
        backward_by<3>(dqkv, dy, qkv, lse, delta, B, T, C, NH);
    return true;
}
