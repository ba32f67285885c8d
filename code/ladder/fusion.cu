/* Tangled from chapters/workshop/measuring-fusion.nw, "The ladders of fusion".  Edit it there. */

#include "ladder/fusion.h"

#include "backend/cuda.h"
#include "ops/kernels/warp.cuh"

enum { THREADS = 256, WARPS = THREADS / 32 };

/* blocks for numbers and for rows */
/* How a version launches: this many threads, in its stream. */
#define ON(d) THREADS, 0, (d)->stream

/* Blocks for n numbers, four to a thread; at least one. */
static unsigned blocks_of_four(size_t n)
{
    return (unsigned)(n / 4 / THREADS + 1);
}

/* Blocks for a warp to each of N rows. */
static unsigned warps_of(int N)
{
    return (unsigned)((N + WARPS - 1) / WARPS);
}

/* apply a function to every number */
/* y[i] = F(x[i]) for i < n; x and y at multiples of 16 bytes. */
template <typename F>
__global__ void map(float *y, const float *x, size_t n)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n / 4) {
        const float4 v = ((const float4 *)x)[i];
        ((float4 *)y)[i] = make_float4(F::of(v.x), F::of(v.y),
                                       F::of(v.z), F::of(v.w));
    }
    if (i < n % 4)
        y[n - 1 - i] = F::of(x[n - 1 - i]);
}

/* add two arrays */
/* y[i] = a[i] + b[i] for i < n; all at multiples of 16 bytes. */
__global__ void plus(float *y, const float *a, const float *b, size_t n)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n / 4) {
        const float4 v = ((const float4 *)a)[i];
        const float4 u = ((const float4 *)b)[i];
        ((float4 *)y)[i] = make_float4(v.x + u.x, v.y + u.y,
                                       v.z + u.z, v.w + u.w);
    }
    if (i < n % 4)
        y[n - 1 - i] = a[n - 1 - i] + b[n - 1 - i];
}

/* functions of a number */
struct Sine {
    __device__ static float of(float x) { return sinf(x); }
};
struct Cosine {
    __device__ static float of(float x) { return cosf(x); }
};
struct Square {
    __device__ static float of(float x) { return x * x; }
};

struct UnitWaves {
    __device__ static float of(float x)
    {
        const float s = __sinf(x), c = __cosf(x);
        return s * s + c * c;
    }
};

struct Gelu {
    __device__ static float of(float x)
    {
        const float u = 1.5957691f * (x + 0.044715f * x * x * x);
        return x / (1 + __expf(-u));
    }
};
struct Same {
    __device__ static float of(float x) { return x; }
};

/* compose functions */
template <typename F, typename G>
struct Then {                           /* G(F(x)) */
    __device__ static float of(float x) { return G::of(F::of(x)); }
};

template <typename F, typename G>
struct Sum {                            /* F(x) + G(x) */
    __device__ static float of(float x) { return F::of(x) + G::of(x); }
};

typedef Then<Sine, Square> SineSquared;
typedef Then<Cosine, Square> CosineSquared;
typedef Sum<SineSquared, CosineSquared> Waves;

/* waves, version 1: a kernel for each operation */
static void waves_v1(const struct FusionData *d)
{
    const unsigned blocks = blocks_of_four(d->n);
    map<Sine><<<blocks, ON(d)>>>(d->t[0], d->x, d->n);
    CUDA_OK(cudaGetLastError());
    map<Cosine><<<blocks, ON(d)>>>(d->t[1], d->x, d->n);
    CUDA_OK(cudaGetLastError());
    map<Square><<<blocks, ON(d)>>>(d->t[2], d->t[0], d->n);
    CUDA_OK(cudaGetLastError());
    map<Square><<<blocks, ON(d)>>>(d->t[3], d->t[1], d->n);
    CUDA_OK(cudaGetLastError());
    plus<<<blocks, ON(d)>>>(d->y, d->t[2], d->t[3], d->n);
    CUDA_OK(cudaGetLastError());
}

/* waves, version 2: three kernels */
static void waves_v2(const struct FusionData *d)
{
    const unsigned blocks = blocks_of_four(d->n);
    map<SineSquared><<<blocks, ON(d)>>>(d->t[0], d->x, d->n);
    CUDA_OK(cudaGetLastError());
    map<CosineSquared><<<blocks, ON(d)>>>(d->t[1], d->x, d->n);
    CUDA_OK(cudaGetLastError());
    plus<<<blocks, ON(d)>>>(d->y, d->t[0], d->t[1], d->n);
    CUDA_OK(cudaGetLastError());
}

/* waves, version 3: one kernel */
static void waves_v3(const struct FusionData *d)
{
    map<Waves><<<blocks_of_four(d->n), ON(d)>>>(d->y, d->x, d->n);
    CUDA_OK(cudaGetLastError());
}

/* waves, version 4: the unit's sines */
static void waves_v4(const struct FusionData *d)
{
    map<UnitWaves><<<blocks_of_four(d->n), ON(d)>>>(d->y, d->x, d->n);
    CUDA_OK(cudaGetLastError());
}

/* the sine of a sine */
/* y[i] = sin(sin(... x[i])), `times` sines. */
template <bool UNIT>
__global__ void sines(float *y, const float *x, size_t n, int times)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n / 4)
        return;
    float4 v = ((const float4 *)x)[i];
    #pragma unroll 1
    for (int k = 0; k < times; k++) {
        v.x = UNIT ? __sinf(v.x) : sinf(v.x);
        v.y = UNIT ? __sinf(v.y) : sinf(v.y);
        v.z = UNIT ? __sinf(v.z) : sinf(v.z);
        v.w = UNIT ? __sinf(v.w) : sinf(v.w);
    }
    ((float4 *)y)[i] = v;
}

/* launch a chain of sines */
void sines_run(float *y, const float *x, size_t n, int times, bool unit)
{
    if (unit)
        sines<true><<<blocks_of_four(n), THREADS>>>(y, x, n, times);
    else
        sines<false><<<blocks_of_four(n), THREADS>>>(y, x, n, times);
    CUDA_OK(cudaGetLastError());
}

/* add a bias and apply a function */
/* y[n,c] = F(x[n,c] + b[c]); C is a multiple of 4 */
template <typename F>
__global__ void bias_map(float *y, const float *x, const float *b,
                         size_t n, int C)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n / 4)
        return;
    const float4 v = ((const float4 *)x)[i];
    const float4 u = ((const float4 *)b)[(unsigned)i % (C / 4)];
    ((float4 *)y)[i] = make_float4(F::of(v.x + u.x), F::of(v.y + u.y),
                                   F::of(v.z + u.z), F::of(v.w + u.w));
}

/* gelu: both versions */
static void gelu_v1(const struct FusionData *d)
{
    const unsigned blocks = blocks_of_four(d->n);
    bias_map<Same><<<blocks, ON(d)>>>(d->t[0], d->x, d->b, d->n, d->C);
    CUDA_OK(cudaGetLastError());
    map<Gelu><<<blocks, ON(d)>>>(d->y, d->t[0], d->n);
    CUDA_OK(cudaGetLastError());
}

static void gelu_v2(const struct FusionData *d)
{
    bias_map<Gelu><<<blocks_of_four(d->n), ON(d)>>>(d->y, d->x, d->b,
                                                     d->n, d->C);
    CUDA_OK(cudaGetLastError());
}

/* four numbers at a time */
#define EPSILON 1e-5f

__device__ static float4 added(float4 v, float4 u)
{
    return make_float4(v.x + u.x, v.y + u.y, v.z + u.z, v.w + u.w);
}

__device__ static float squares_about(float4 v, float m)
{
    v = make_float4(v.x - m, v.y - m, v.z - m, v.w - m);
    return (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
}

__device__ static float4 normalised(float4 v, float m, float rstd,
                                    float4 w, float4 b)
{
    return make_float4((v.x - m) * rstd * w.x + b.x,
                       (v.y - m) * rstd * w.y + b.y,
                       (v.z - m) * rstd * w.z + b.z,
                       (v.w - m) * rstd * w.w + b.w);
}

/* sums over rows */
/* A warp for each row: mean[n], or with the means rstd[n]. */
template <bool DEVIATION>
__global__ void row_moments(float *out, const float *x, const float *mean,
                            int N, int C)
{
    const int lane = threadIdx.x % 32;
    const int n = blockIdx.x * WARPS + threadIdx.x / 32;
    if (n >= N)
        return;
    const float m = DEVIATION ? mean[n] : 0;
    float sum = 0;
    for (int c = lane; c < C / 4; c += 32) {
        const float4 v = ((const float4 *)x)[(size_t)n * (C / 4) + c];
        sum += DEVIATION ? squares_about(v, m) : v.x + v.y + v.z + v.w;
    }
    sum = warp_sum(sum) / C;
    if (lane == 0)
        out[n] = DEVIATION ? rsqrtf(sum + EPSILON) : sum;
}

/* y = (x - mean) rstd, with a mean and an rstd for each row */
__global__ void centre(float *y, const float *x, const float *mean,
                       const float *rstd, size_t n, int C)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n / 4)
        return;
    const unsigned row = (unsigned)i / (C / 4);
    const float4 one = make_float4(1, 1, 1, 1), zero = {};
    ((float4 *)y)[i] = normalised(((const float4 *)x)[i], mean[row],
                                  rstd[row], one, zero);
}

/* scale and shift rows */
/* y = x w + b, with a w and a b for each column */
__global__ void scale_and_shift(float *y, const float *x, const float *w,
                                const float *b, size_t n, int C)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n / 4)
        return;
    const unsigned c = (unsigned)i % (C / 4);
    ((float4 *)y)[i] = normalised(((const float4 *)x)[i], 0, 1,
                                  ((const float4 *)w)[c],
                                  ((const float4 *)b)[c]);
}

/* a row in registers */
enum { PACKS = 8 };             /* of 16 bytes in a lane: C <= 1024 */

/* A warp has row n; sum == NULL: nothing is added.
 *   needs      C % 4 == 0, C <= 1024 */
__global__ void layernorm_row(float *__restrict__ y,
                              float *__restrict__ sum,
                              const float *__restrict__ x,
                              const float *__restrict__ r,
                              const float *w, const float *b, int N, int C)
{
    const int lane = threadIdx.x % 32;
    const int n = blockIdx.x * WARPS + threadIdx.x / 32;
    if (n >= N)
        return;                         /* the whole warp */
    const size_t at = (size_t)n * (C / 4);
    float4 v[PACKS];
    /* v = row n of x, or the sum of both, which is written */
    #pragma unroll
    for (int k = 0; k < PACKS; k++) {
        const int c = lane + 32 * k;
        v[k] = c < C / 4 ? ((const float4 *)x)[at + c] : float4{};
        if (sum && c < C / 4) {
            v[k] = added(v[k], ((const float4 *)r)[at + c]);
            ((float4 *)sum)[at + c] = v[k];
        }
    }
    /* mean and rstd of v */
    float mean = 0, rstd = 0;
    #pragma unroll
    for (int k = 0; k < PACKS; k++)
        mean += v[k].x + v[k].y + v[k].z + v[k].w;
    mean = warp_sum(mean) / C;
    #pragma unroll
    for (int k = 0; k < PACKS; k++)
        if (lane + 32 * k < C / 4)
            rstd += squares_about(v[k], mean);
    rstd = rsqrtf(warp_sum(rstd) / C + EPSILON);
    #pragma unroll
    for (int k = 0; k < PACKS; k++)
        if (const int c = lane + 32 * k; c < C / 4)
            ((float4 *)y)[at + c] = normalised(v[k], mean, rstd,
                ((const float4 *)w)[c], ((const float4 *)b)[c]);
}

/* a row walked over three times */
__global__ void layernorm_walks(float *y, float *__restrict__ sum,
                                const float *__restrict__ x,
                                const float *__restrict__ r,
                                const float *w, const float *b, int N,
                                int C)
{
    const int lane = threadIdx.x % 32;
    const int n = blockIdx.x * WARPS + threadIdx.x / 32;
    if (n >= N)
        return;
    const size_t at = (size_t)n * (C / 4);
    const float4 *x4 = (const float4 *)x + at, *r4 = (const float4 *)r + at;
    float4 *s4 = (float4 *)sum + at, *y4 = (float4 *)y + at;
    float mean = 0, rstd = 0;
    for (int c = lane; c < C / 4; c += 32) {
        const float4 v = s4[c] = added(x4[c], r4[c]);
        mean += v.x + v.y + v.z + v.w;
    }
    mean = warp_sum(mean) / C;
    for (int c = lane; c < C / 4; c += 32)
        rstd += squares_about(s4[c], mean);
    rstd = rsqrtf(warp_sum(rstd) / C + EPSILON);
    for (int c = lane; c < C / 4; c += 32)
        y4[c] = normalised(s4[c], mean, rstd, ((const float4 *)w)[c],
                           ((const float4 *)b)[c]);
}

/* layernorm: all versions */
static void layernorm_v1(const struct FusionData *d)
{
    const unsigned blocks = blocks_of_four(d->n), rows = warps_of(d->N);
    plus<<<blocks, ON(d)>>>(d->sum, d->x, d->residual, d->n);
    CUDA_OK(cudaGetLastError());
    row_moments<false><<<rows, ON(d)>>>(d->row[0], d->sum, NULL, d->N,
                                         d->C);
    CUDA_OK(cudaGetLastError());
    row_moments<true><<<rows, ON(d)>>>(d->row[1], d->sum, d->row[0],
                                        d->N, d->C);
    CUDA_OK(cudaGetLastError());
    centre<<<blocks, ON(d)>>>(d->t[0], d->sum, d->row[0], d->row[1],
                               d->n, d->C);
    CUDA_OK(cudaGetLastError());
    scale_and_shift<<<blocks, ON(d)>>>(d->y, d->t[0], d->w, d->b, d->n,
                                        d->C);
    CUDA_OK(cudaGetLastError());
}

static void layernorm_v2(const struct FusionData *d)
{
    plus<<<blocks_of_four(d->n), ON(d)>>>(d->sum, d->x, d->residual,
                                           d->n);
    CUDA_OK(cudaGetLastError());
    layernorm_row<<<warps_of(d->N), ON(d)>>>(d->y, NULL, d->sum, NULL,
                                              d->w, d->b, d->N, d->C);
    CUDA_OK(cudaGetLastError());
}

static void layernorm_v3(const struct FusionData *d)
{
    layernorm_walks<<<warps_of(d->N), ON(d)>>>(d->y, d->sum, d->x,
        d->residual, d->w, d->b, d->N, d->C);
    CUDA_OK(cudaGetLastError());
}

static void layernorm_v4(const struct FusionData *d)
{
    layernorm_row<<<warps_of(d->N), ON(d)>>>(d->y, d->sum, d->x,
        d->residual, d->w, d->b, d->N, d->C);
    CUDA_OK(cudaGetLastError());
}

/* a number below every logit */
#define LOWEST -3.402823466e38f

/* maximum and sum of a row in one walk */
/* m = max x[0..n), s = the sum of exp(x - m), for all threads of the
 * block; part: shared, for a number of each warp. */
__device__ static void max_and_sum(float *m, float *s, const float *x,
                                   int n, float *part)
{
    float most = LOWEST, sum = 0;
    for (int c = threadIdx.x; c < n; c += blockDim.x) {
        const float v = x[c], next = fmaxf(most, v);
        sum = sum * __expf(most - next) + __expf(v - next);
        most = next;
    }
    *m = block_max(most, part);
    *s = block_sum(sum * __expf(most - *m), part);
}

/* the loss, an operation at a time */
__global__ void row_max(float *m, const float *x, int C)
{
    __shared__ float part[WARPS];
    float most = LOWEST;
    for (int c = threadIdx.x; c < C; c += THREADS)
        most = fmaxf(most, x[(size_t)blockIdx.x * C + c]);
    most = block_max(most, part);
    if (threadIdx.x == 0)
        m[blockIdx.x] = most;
}

__global__ void row_sum(float *s, const float *x, int C)
{
    __shared__ float part[WARPS];
    float sum = 0;
    for (int c = threadIdx.x; c < C; c += THREADS)
        sum += x[(size_t)blockIdx.x * C + c];
    sum = block_sum(sum, part);
    if (threadIdx.x == 0)
        s[blockIdx.x] = sum;
}

__global__ void row_exp(float *__restrict__ e, const float *__restrict__ x,
                        const float *m, int C)
{
    const size_t at = (size_t)blockIdx.x * C;
    const float most = m[blockIdx.x];
    for (int c = threadIdx.x; c < C; c += THREADS)
        e[at + c] = __expf(x[at + c] - most);
}

__global__ void row_divide(float *__restrict__ p,
                           const float *__restrict__ e, const float *s,
                           int C)
{
    const size_t at = (size_t)blockIdx.x * C;
    const float sum = s[blockIdx.x];
    for (int c = threadIdx.x; c < C; c += THREADS)
        p[at + c] = e[at + c] / sum;
}

/* loss[n] = -log p[n][target] */
__global__ void pick(float *loss, const float *p, const int *target, int N,
                     int C)
{
    const int n = blockIdx.x * THREADS + threadIdx.x;
    if (n < N)
        loss[n] = -logf(p[(size_t)n * C + target[n]]);
}

__global__ void minus_one(float *__restrict__ dx,
                          const float *__restrict__ p,
                          const int *target, int C)
{
    const size_t at = (size_t)blockIdx.x * C;
    const int t = target[blockIdx.x];
    for (int c = threadIdx.x; c < C; c += THREADS)
        dx[at + c] = p[at + c] - (c == t ? 1 : 0);
}

__global__ void softmax(float *__restrict__ p, const float *__restrict__ x,
                        int C)
{
    __shared__ float part[WARPS];
    const size_t at = (size_t)blockIdx.x * C;
    float m, s;
    max_and_sum(&m, &s, x + at, C, part);
    for (int c = threadIdx.x; c < C; c += THREADS)
        p[at + c] = __expf(x[at + c] - m) / s;
}

/* loss and gradient of a row */
/* A block for each row.  KEEP: the row is kept in shared memory. */
template <bool KEEP>
__global__ void loss_and_gradient(float *__restrict__ dx, float *loss,
                                  const float *__restrict__ x,
                                  const int *target, int C)
{
    extern __shared__ float kept[];
    __shared__ float part[32];
    const size_t at = (size_t)blockIdx.x * C;
    const float *row = KEEP ? kept : x + at;
    const int t = target[blockIdx.x];
    float m, s;
    if (KEEP) {
        for (int c = threadIdx.x; c < C; c += blockDim.x)
            kept[c] = x[at + c];
        __syncthreads();
    }
    max_and_sum(&m, &s, row, C, part);
    if (threadIdx.x == 0)
        loss[blockIdx.x] = m + logf(s) - row[t];
    for (int c = threadIdx.x; c < C; c += blockDim.x)
        dx[at + c] = __expf(row[c] - m) / s - (c == t ? 1 : 0);
}

/* loss: all versions */
static void loss_v1(const struct FusionData *d)
{
    const unsigned N = (unsigned)d->N, blocks = (N + THREADS - 1) / THREADS;
    row_max<<<N, ON(d)>>>(d->row[0], d->x, d->C);
    CUDA_OK(cudaGetLastError());
    row_exp<<<N, ON(d)>>>(d->t[0], d->x, d->row[0], d->C);
    CUDA_OK(cudaGetLastError());
    row_sum<<<N, ON(d)>>>(d->row[1], d->t[0], d->C);
    CUDA_OK(cudaGetLastError());
    row_divide<<<N, ON(d)>>>(d->t[1], d->t[0], d->row[1], d->C);
    CUDA_OK(cudaGetLastError());
    pick<<<blocks, ON(d)>>>(d->loss, d->t[1], d->target, d->N, d->C);
    CUDA_OK(cudaGetLastError());
    minus_one<<<N, ON(d)>>>(d->y, d->t[1], d->target, d->C);
    CUDA_OK(cudaGetLastError());
}

static void loss_v2(const struct FusionData *d)
{
    const unsigned N = (unsigned)d->N, blocks = (N + THREADS - 1) / THREADS;
    softmax<<<N, ON(d)>>>(d->t[0], d->x, d->C);
    CUDA_OK(cudaGetLastError());
    pick<<<blocks, ON(d)>>>(d->loss, d->t[0], d->target, d->N, d->C);
    CUDA_OK(cudaGetLastError());
    minus_one<<<N, ON(d)>>>(d->y, d->t[0], d->target, d->C);
    CUDA_OK(cudaGetLastError());
}

static void loss_v3(const struct FusionData *d)
{
    loss_and_gradient<false><<<(unsigned)d->N, ON(d)>>>(
        d->y, d->loss, d->x, d->target, d->C);
    CUDA_OK(cudaGetLastError());
}

static void loss_v4(const struct FusionData *d)
{
    const size_t bytes = (size_t)d->C * sizeof(float);
    CUDA_OK(cudaFuncSetAttribute(
        (const void *)loss_and_gradient<true>,
        cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    loss_and_gradient<true><<<(unsigned)d->N, 1024, bytes, d->stream>>>(
        d->y, d->loss, d->x, d->target, d->C);
    CUDA_OK(cudaGetLastError());
}

/* a tile of logits */
enum { TILE = 64, DEEP = 16, PARTS = 8 };

/* x[i][j] = the product of row n0 + threadIdx.x / 16 * 4 + i of h and row
 * v0 + threadIdx.x % 16 + 16 j of w; 256 threads. */
__device__ static void tile_of_logits(float (*x)[4], const float *h,
                                      const float *w, int n0, int v0, int N,
                                      int C, int V)
{
    __shared__ float a[DEEP][TILE + 4], b[DEEP][TILE + 4];
    const int t = threadIdx.x, high = t / 16, low = t % 16;
    for (int i = 0; i < 16; i++)
        x[i / 4][i % 4] = 0;
    for (int c = 0; c < C; c += DEEP) {
        const bool in = c + low < C;
        for (int r = high; r < TILE; r += 16) {
            a[low][r] = in && n0 + r < N ? h[(size_t)(n0 + r) * C + c + low]
                                         : 0;
            b[low][r] = in && v0 + r < V ? w[(size_t)(v0 + r) * C + c + low]
                                         : 0;
        }
        __syncthreads();
        /* multiply 16 columns of the tile */
        #pragma unroll
        for (int k = 0; k < DEEP; k++) {
            const float4 r = *(const float4 *)&a[k][4 * high];
            for (int j = 0; j < 4; j++) {
                const float v = b[k][low + 16 * j];
                x[0][j] += r.x * v;
                x[1][j] += r.y * v;
                x[2][j] += r.z * v;
                x[3][j] += r.w * v;
            }
        }
        __syncthreads();
    }
}

__device__ static float max_of_16(float x)
{
    for (int d = 8; d > 0; d /= 2)
        x = fmaxf(x, __shfl_xor_sync(WHOLE_WARP, x, d));
    return x;
}

__device__ static float sum_of_16(float x)
{
    for (int d = 8; d > 0; d /= 2)
        x += __shfl_xor_sync(WHOLE_WARP, x, d);
    return x;
}

/* linear layer and loss, without logits */
/* parts[n][p] = maximum and sum of part p of row n; hit[n] = the
 * target's logit.
 *   launch     a block of 256 for each 64 rows and each of PARTS parts */
__global__ void running_loss(float2 *parts, float *hit, const float *h,
                             const float *w, const int *target, int N,
                             int C, int V)
{
    const int n0 = blockIdx.x * TILE, row = threadIdx.x / 16 * 4;
    float m[4], s[4], x[4][4];
    for (int i = 0; i < 4; i++)
        m[i] = LOWEST, s[i] = 0;
    for (int v0 = blockIdx.y * TILE; v0 < V; v0 += PARTS * TILE) {
        tile_of_logits(x, h, w, n0, v0, N, C, V);
        for (int i = 0; i < 4; i++)     /* all lanes: they shuffle */
            /* add a row of the tile to m and s; keep the target's logit */
            {
                const int n = n0 + row + i, t = n < N ? target[n] : -1;
                float most = m[i], sum = 0;
                for (int j = 0; j < 4; j++)
                    if (v0 + (int)threadIdx.x % 16 + 16 * j < V)
                        most = fmaxf(most, x[i][j]);
                most = max_of_16(most);
                for (int j = 0; j < 4; j++) {
                    const int v = v0 + threadIdx.x % 16 + 16 * j;
                    sum += v < V ? __expf(x[i][j] - most) : 0;
                    if (v == t)
                        hit[n] = x[i][j];
                }
                s[i] = s[i] * __expf(m[i] - most) + sum_of_16(sum);
                m[i] = most;
            }
    }
    if (threadIdx.x % 16 == 0)
        for (int i = 0; i < 4 && n0 + row + i < N; i++)
            parts[(size_t)(n0 + row + i) * PARTS + blockIdx.y] =
                make_float2(m[i], s[i]);
}

/* combine the parts of a loss */
__global__ void combine(float *loss, const float2 *parts, const float *hit,
                        int N)
{
    const int n = blockIdx.x * THREADS + threadIdx.x;
    if (n >= N)
        return;
    float m = LOWEST, s = 0;
    for (int p = 0; p < PARTS; p++)
        m = fmaxf(m, parts[(size_t)n * PARTS + p].x);
    for (int p = 0; p < PARTS; p++) {
        const float2 v = parts[(size_t)n * PARTS + p];
        s += v.y * __expf(v.x - m);
    }
    loss[n] = m + logf(s) - hit[n];
}

/* linear layer and loss, with logits */
__global__ void write_logits(float *logits, const float *h, const float *w,
                             int N, int C, int V)
{
    const int n0 = blockIdx.x * TILE, row = n0 + threadIdx.x / 16 * 4;
    float x[4][4];
    for (int v0 = blockIdx.y * TILE; v0 < V; v0 += PARTS * TILE) {
        tile_of_logits(x, h, w, n0, v0, N, C, V);
        for (int i = 0; i < 16; i++) {
            const int v = v0 + threadIdx.x % 16 + 16 * (i % 4);
            if (row + i / 4 < N && v < V)
                logits[(size_t)(row + i / 4) * V + v] = x[i / 4][i % 4];
        }
    }
}

__global__ void loss_of_logits(float *loss, const float *x,
                               const int *target, int V)
{
    __shared__ float part[WARPS];
    const float *row = x + (size_t)blockIdx.x * V;
    float m, s;
    max_and_sum(&m, &s, row, V, part);
    if (threadIdx.x == 0)
        loss[blockIdx.x] = m + logf(s) - row[target[blockIdx.x]];
}

size_t linear_loss_scratch(int N)
{
    return (size_t)N * (2 * PARTS + 1);
}

void linear_loss(float *loss, const float *h, const float *w,
                 const int *target, int N, int C, int V, float *logits,
                 float *scratch)
{
    const dim3 grid((unsigned)(N + TILE - 1) / TILE, PARTS);
    float2 *parts = (float2 *)scratch;
    float *hit = scratch + (size_t)2 * PARTS * N;
    if (logits) {
        write_logits<<<grid, THREADS>>>(logits, h, w, N, C, V);
        CUDA_OK(cudaGetLastError());
        loss_of_logits<<<(unsigned)N, THREADS>>>(loss, logits, target, V);
    } else {
        running_loss<<<grid, THREADS>>>(parts, hit, h, w, target, N, C, V);
        CUDA_OK(cudaGetLastError());
        combine<<<(unsigned)(N + THREADS - 1) / THREADS, THREADS>>>(
            loss, parts, hit, N);
    }
    CUDA_OK(cudaGetLastError());
}

/* the table of fusions */
const struct Fusion *fusions(void)
{
    static const struct Fusion all[] = {
        { "waves", "v1", 5, 11, waves_v1 },
        { "waves", "v2", 3, 7, waves_v2 },
        { "waves", "v3", 1, 2, waves_v3 },
        { "waves", "v4", 1, 2, waves_v4 },
        { "gelu", "v1", 2, 4, gelu_v1 },
        { "gelu", "v2", 1, 2, gelu_v2 },
        { "layernorm", "v1", 5, 9, layernorm_v1 },
        { "layernorm", "v2", 2, 5, layernorm_v2 },
        { "layernorm", "v3", 1, 4, layernorm_v3 },
        { "layernorm", "v4", 1, 4, layernorm_v4 },
        { "loss", "v1", 6, 8, loss_v1 },
        { "loss", "v2", 3, 4, loss_v2 },
        { "loss", "v3", 1, 2, loss_v3 },
        { "loss", "v4", 1, 2, loss_v4 },
        { NULL, NULL, 0, 0, NULL },
    };
    return all;
}
