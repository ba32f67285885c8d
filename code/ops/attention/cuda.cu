/* Tangled from chapters/gpt2/operators-on-the-gpu.nw, "Attention".  Edit it there. */

#include "ops/attention/attention.h"
#include "ops/fp32/fp32.h"
#include "ops/kernels/common.cuh"
#include "ops/operators.h"

enum { TILE = 32, STEP = 8, PART = TILE / STEP };

/* load 32 rows of a head */
/* A row of shared memory has HS numbers and starts an odd number of words
 * after the one before, so that a column lies in 32 banks. */
#define PITCH(HS) ((HS) | 1)

/* to[i] = row t + i of from, whose rows are ld apart; zero from T on */
__device__ static __forceinline__ void
load_rows(float *to, const float *from, size_t ld, int t, int T, int HS)
{
    for (int i = threadIdx.y; i < TILE; i += STEP)
        for (int d = threadIdx.x; d < HS; d += 32)
            to[i * PITCH(HS) + d] = t + i < T ? from[(t + i) * ld + d] : 0;
}

/* s = dot products of rows and rows */
/* s[i] = a[y + 8i] . b[x]: a warp has four rows of a, a lane one of b */
__device__ static __forceinline__ void
dots(float s[PART], const float *a, const float *b, int HS)
{
    const float *ai = a + threadIdx.y * PITCH(HS);
    const float *bx = b + threadIdx.x * PITCH(HS);
    #pragma unroll
    for (int i = 0; i < PART; i++)
        s[i] = 0;
    for (int d = 0; d < HS; d++) {
        const float bd = bx[d];
        #pragma unroll
        for (int i = 0; i < PART; i++)
            s[i] = fmaf(ai[i * STEP * PITCH(HS) + d], bd, s[i]);
    }
}

/* add probabilities times rows */
/* out[r] = keep out[r] + the sum over u of p[r][u] rows[u], for the four
 * rows r = y + 8i of this warp; p has a pitch of 33 */
__device__ static __forceinline__ void
add_rows(float *out, const float keep[PART], const float *p,
         const float *rows, int HS)
{
    const int y = threadIdx.y;
    for (int d = threadIdx.x; d < HS; d += 32) {
        float sum[PART];
        #pragma unroll
        for (int i = 0; i < PART; i++)
            sum[i] = keep[i] * out[(y + STEP * i) * PITCH(HS) + d];
        /* add p times column d of the rows */
        for (int u = 0; u < TILE; u++) {
            const float r = rows[u * PITCH(HS) + d];
            #pragma unroll
            for (int i = 0; i < PART; i++)
                sum[i] = fmaf(p[(y + STEP * i) * 33 + u], r, sum[i]);
        }
        #pragma unroll
        for (int i = 0; i < PART; i++)
            out[(y + STEP * i) * PITCH(HS) + d] = sum[i];
    }
}

/* attention forward: a block per 32 queries */
/* y and lse of 32 queries of one head; a warp has four of them, y + 8i.
 *   launch    B NH x ceil(T/32) blocks of 32 x 8
 *   shared    4 (128 PITCH(HS) + 1056) bytes: 37,504 at HS = 64
 *   moves     k and v once for every 32 queries, from L2
 *   FLOP      2 T^2 C B, and the masked corners: T + 32 for a T
 *   ceiling   shared memory: 5 reads for 4 fused multiply-adds
 *   numerics  online softmax: sums in tiles of 32, rescaled */
__global__ void attention_fwd_kernel(float *y, float *lse,
                                     const float *qkv, int T, int C,
                                     int NH, float scale)
{
    /* four tiles of rows, and one of probabilities */
    const int HS = C / NH, size = TILE * PITCH(HS);
    extern __shared__ float shared[];
    float *q = shared, *k = q + size, *v = k + size, *out = v + size;
    float *p = out + size;
    /* t, and the head's part of qkv and y */
    const int x = threadIdx.x, warp = threadIdx.y, t = blockIdx.y * TILE;
    const size_t head = blockIdx.x, b = head / NH, h = head % NH * HS;
    const size_t ld = 3 * (size_t)C;
    qkv += b * T * ld + h;
    y += b * T * C + h;
    lse += head * T;
    float m[PART], sum[PART], keep[PART];
    /* load the queries; nothing is known of their rows yet */
    load_rows(q, qkv, ld, t, T, HS);
    #pragma unroll
    for (int i = 0; i < PART; i++) {
        m[i] = -INFINITY;
        sum[i] = 0;
        for (int d = x; d < HS; d += 32)
            out[(warp + STEP * i) * PITCH(HS) + d] = 0;
    }
    for (int u = 0; u <= t; u += TILE) {
        /* load keys and values u to u + 31 */
        __syncthreads();                    /* all are done with the last ones */
        load_rows(k, qkv + C, ld, u, T, HS);
        load_rows(v, qkv + 2 * C, ld, u, T, HS);
        __syncthreads();
        /* p = exp(scores - m), with the new maximum m */
        float s[PART];
        dots(s, q, k, HS);
        #pragma unroll
        for (int i = 0; i < PART; i++) {
            const int row = warp + STEP * i;
            s[i] = u + x <= t + row ? s[i] * scale : -INFINITY;
            const float most = fmaxf(m[i], warp_max(s[i]));
            s[i] = vexp(s[i] - most);
            keep[i] = vexp(m[i] - most);
            sum[i] = fmaf(sum[i], keep[i], warp_sum(s[i]));
            m[i] = most;
            p[row * 33 + x] = s[i];
        }
        __syncwarp();                       /* the warp reads its own rows of p */
        add_rows(out, keep, p, v, HS);
    }
    /* divide by the sum, write y and lse */
    #pragma unroll
    for (int i = 0; i < PART; i++) {
        const int row = warp + STEP * i;
        if (t + row >= T)
            continue;
        for (int d = x; d < HS; d += 32)
            y[(size_t)(t + row) * C + d] = out[row * PITCH(HS) + d] / sum[i];
        if (x == 0)
            lse[t + row] = m[i] + vlog(sum[i]);
    }
}

/* delta: a warp per query */
/* delta[b,h,t] = dy . y of that head's row, one warp each.
 *   launch    ceil(B NH T / 8) blocks of 8 warps
 *   moves     8 NC + 4 N NH bytes          ceiling   memory */
__global__ void attention_delta(float *delta, const float *dy,
                                const float *y, size_t n, int T, int C,
                                int NH)
{
    /* query i, and where its head's part of the row is */
    const size_t i = (size_t)blockIdx.x * WARPS + threadIdx.x / 32;
    if (i >= n)
        return;
    const size_t b = i / T / NH, h = i / T % NH, t = i % T;
    const int HS = C / NH;
    const size_t at = (b * T + t) * C + h * HS;
    float sum = 0;
    for (int d = threadIdx.x % 32; d < HS; d += 32)
        sum = fmaf(dy[at + d], y[at + d], sum);
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        delta[i] = sum;
}

/* attention backward, dq: a block per 32 queries */
/* dq of 32 queries of one head.
 *   launch    B NH x ceil(T/32) blocks of 32 x 8
 *   shared    4 (160 PITCH(HS) + 1056) bytes: 45,824 at HS = 64
 *   FLOP      3 T^2 C B                    ceiling   shared memory */
__global__ void attention_bwd_dq(float *dqkv, const float *dy,
                                 const float *qkv, const float *lse,
                                 const float *delta, int T, int C, int NH,
                                 float scale)
{
    const int HS = C / NH, size = TILE * PITCH(HS);
    extern __shared__ float shared[];
    float *q = shared, *g = q + size, *k = g + size, *v = k + size;
    float *dq = v + size, *p = dq + size;
    /* t, and the head's part of dqkv and the rest */
    const int x = threadIdx.x, warp = threadIdx.y, t = blockIdx.y * TILE;
    const size_t head = blockIdx.x, b = head / NH, h = head % NH * HS;
    const size_t ld = 3 * (size_t)C;
    const float one[PART] = { 1, 1, 1, 1 };
    qkv += b * T * ld + h;
    dqkv += b * T * ld + h;
    dy += b * T * C + h;
    lse += head * T;
    delta += head * T;
    /* load the queries and their gradients; dq = 0 */
    load_rows(q, qkv, ld, t, T, HS);
    load_rows(g, dy, C, t, T, HS);
    float l[PART], dt[PART];
    #pragma unroll
    for (int i = 0; i < PART; i++) {
        const int row = warp + STEP * i;
        l[i] = t + row < T ? lse[t + row] : 0;
        dt[i] = t + row < T ? delta[t + row] : 0;
        for (int d = x; d < HS; d += 32)
            dq[row * PITCH(HS) + d] = 0;
    }
    for (int u = 0; u <= t; u += TILE) {
        /* load keys and values u to u + 31 */
        __syncthreads();                    /* all are done with the last ones */
        load_rows(k, qkv + C, ld, u, T, HS);
        load_rows(v, qkv + 2 * C, ld, u, T, HS);
        __syncthreads();
        /* p = the gradient of the scores */
        float s[PART], dp[PART];
        dots(s, q, k, HS);
        dots(dp, g, v, HS);
        #pragma unroll
        for (int i = 0; i < PART; i++) {
            const int row = warp + STEP * i;
            const float e = vexp(s[i] * scale - l[i]);
            p[row * 33 + x] = u + x <= t + row ? e * (dp[i] - dt[i]) * scale : 0;
        }
        __syncwarp();
        add_rows(dq, one, p, k, HS);
    }
    /* write the rows of dq */
    #pragma unroll
    for (int i = 0; i < PART; i++) {
        const int row = warp + STEP * i;
        for (int d = x; d < HS && t + row < T; d += 32)
            dqkv[(t + row) * ld + d] = dq[row * PITCH(HS) + d];
    }
}

/* attention backward, dk and dv: a block per 32 keys */
/* dk and dv of 32 keys of one head; a warp has four keys, a lane a query.
 *   launch    B NH x ceil(T/32) blocks of 32 x 8
 *   shared    4 (192 PITCH(HS) + 1056) bytes: 54,144 at HS = 64
 *   FLOP      4 T^2 C B                    ceiling   shared memory */
__global__ void attention_bwd_dkv(float *dqkv, const float *dy,
                                  const float *qkv, const float *lse,
                                  const float *delta, int T, int C, int NH,
                                  float scale)
{
    /* six tiles of rows, and one of probabilities */
    const int HS = C / NH, size = TILE * PITCH(HS);
    extern __shared__ float shared[];
    float *k = shared, *v = k + size, *q = v + size, *g = q + size;
    float *dk = g + size, *dv = dk + size, *p = dv + size;
    /* t, and the head's part of dqkv and the rest */
    const int x = threadIdx.x, warp = threadIdx.y, t = blockIdx.y * TILE;
    const size_t head = blockIdx.x, b = head / NH, h = head % NH * HS;
    const size_t ld = 3 * (size_t)C;
    const float one[PART] = { 1, 1, 1, 1 };
    qkv += b * T * ld + h;
    dqkv += b * T * ld + h;
    dy += b * T * C + h;
    lse += head * T;
    delta += head * T;
    const int first = t;                    /* of the keys */
    /* load the keys and values; dk = dv = 0 */
    load_rows(k, qkv + C, ld, first, T, HS);
    load_rows(v, qkv + 2 * C, ld, first, T, HS);
    #pragma unroll
    for (int i = 0; i < PART; i++)
        for (int d = x; d < HS; d += 32) {
            dk[(warp + STEP * i) * PITCH(HS) + d] = 0;
            dv[(warp + STEP * i) * PITCH(HS) + d] = 0;
        }
    for (int t = first; t < T; t += TILE) {
        /* load queries t to t + 31 and their gradients */
        __syncthreads();
        load_rows(q, qkv, ld, t, T, HS);
        load_rows(g, dy, C, t, T, HS);
        __syncthreads();
        const float l = t + x < T ? lse[t + x] : 0;
        const float dt = t + x < T ? delta[t + x] : 0;
        /* p = the probabilities, ds = the gradient of the scores */
        float s[PART], ds[PART];
        dots(s, k, q, HS);
        dots(ds, v, g, HS);
        #pragma unroll
        for (int i = 0; i < PART; i++) {
            const int row = warp + STEP * i;
            const bool seen = first + row <= t + x && t + x < T;
            s[i] = seen ? vexp(s[i] * scale - l) : 0;
            ds[i] = s[i] * (ds[i] - dt) * scale;
            p[row * 33 + x] = s[i];
        }
        __syncwarp();
        add_rows(dv, one, p, g, HS);
        /* p = ds */
        __syncwarp();
        #pragma unroll
        for (int i = 0; i < PART; i++)
            p[(warp + STEP * i) * 33 + x] = ds[i];
        __syncwarp();
        add_rows(dk, one, p, q, HS);
    }
    /* write the rows of dk and dv */
    #pragma unroll
    for (int i = 0; i < PART; i++) {
        const int row = warp + STEP * i;
        for (int d = x; d < HS && first + row < T; d += 32) {
            dqkv[(first + row) * ld + C + d] = dk[row * PITCH(HS) + d];
            dqkv[(first + row) * ld + 2 * C + d] = dv[row * PITCH(HS) + d];
        }
    }
}

/* launch attention */
/* Bytes of shared memory for n tiles of rows and one of probabilities. */
static size_t shared_for(int n, int HS)
{
    return ((size_t)n * TILE * PITCH(HS) + TILE * 33) * sizeof(float);
}

void cuda_attention_fwd(real *y, real *lse, const real *qkv,
                        int B, int T, int C, int NH)
{
    profile_range("attention");
    if (fp32_attention_fwd(y, lse, qkv, B, T, C, NH))
        return;
    const int HS = C / NH;
    const dim3 grid(blocks_for((size_t)B * NH, 1), blocks_for(T, TILE));
    const size_t shared = shared_for(4, HS);
    allow_shared_memory(attention_fwd_kernel, shared);
    attention_fwd_kernel<<<grid, dim3(32, STEP), shared,
                           backend_stream()>>>(y, lse, qkv, T, C, NH,
                                             1 / sqrtf((float)HS));
    LAUNCHED();
}

void cuda_attention_bwd(real *dqkv, const real *dy, const real *qkv,
                        const real *y, const real *lse,
                        int B, int T, int C, int NH)
{
    const int HS = C / NH;
    const size_t rows = (size_t)B * NH * T;
    const float scale = 1 / sqrtf((float)HS);
    const dim3 grid(blocks_for((size_t)B * NH, 1), blocks_for(T, TILE));
    float *delta = (float *)backend_scratch(rows * sizeof(float));
    if (!delta)
        return;
    profile_range("attention bwd");
    attention_delta<<<blocks_for(rows, WARPS), THREADS, 0,
                      backend_stream()>>>(delta, dy, y, rows, T, C, NH);
    LAUNCHED();
    if (fp32_attention_bwd(dqkv, dy, qkv, lse, delta, B, T, C, NH))
        return;
    /* launch dq, then dk and dv, in floats */
    size_t shared = shared_for(5, HS);
    allow_shared_memory(attention_bwd_dq, shared);
    attention_bwd_dq<<<grid, dim3(32, STEP), shared, backend_stream()>>>(
        dqkv, dy, qkv, lse, delta, T, C, NH, scale);
    LAUNCHED();
    shared = shared_for(6, HS);
    allow_shared_memory(attention_bwd_dkv, shared);
    attention_bwd_dkv<<<grid, dim3(32, STEP), shared, backend_stream()>>>(
        dqkv, dy, qkv, lse, delta, T, C, NH, scale);
    LAUNCHED();
}
