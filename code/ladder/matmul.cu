/* Tangled from chapters/workshop/measuring-matmul.nw, "Measuring matrix products".  Edit it there. */

#include "ladder/matmul.h"

#include "ladder/blocks.cuh"
#include "ops/kernels/ptx.cuh"

namespace {

/* the depth of a tile */
enum { DEPTH = 8 };                 /* along k, from version 4 on */

/* numbers at the edge */
/* x[row][col], or 0 outside of x[rows][cols]. */
__device__ static __forceinline__ float
at(const float *x, int row, int col, int rows, int cols)
{
    return row < rows && col < cols ? x[(size_t)row * cols + col] : 0;
}

/* x[row][col] = v, if that is in x[rows][cols]. */
__device__ static __forceinline__ void
put(float *x, int row, int col, int rows, int cols, float v)
{
    if (row < rows && col < cols)
        x[(size_t)row * cols + col] = v;
}

/* matmul, version 1: lanes down a column */
__global__ void matmul_v1(float *c, const float *a, const float *b, int M,
                          int N, int K)
{
    const int m = blockIdx.y * 32 + threadIdx.x % 32;
    const int n = blockIdx.x * 32 + threadIdx.x / 32;
    /* add up row m of a times column n of b */
    if (m >= M || n >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum = fmaf(a[(size_t)m * K + k], b[(size_t)k * N + n], sum);
    c[(size_t)m * N + n] = sum;
}

/* matmul, version 2: lanes along a row */
__global__ void matmul_v2(float *c, const float *a, const float *b, int M,
                          int N, int K)
{
    const int m = blockIdx.y * 32 + threadIdx.x / 32;
    const int n = blockIdx.x * 32 + threadIdx.x % 32;
    /* add up row m of a times column n of b */
    if (m >= M || n >= N)
        return;
    float sum = 0;
    for (int k = 0; k < K; k++)
        sum = fmaf(a[(size_t)m * K + k], b[(size_t)k * N + n], sum);
    c[(size_t)m * N + n] = sum;
}

/* matmul, version 3: tiles in shared memory */
__global__ void matmul_v3(float *c, const float *a, const float *b, int M,
                          int N, int K)
{
    __shared__ float as[32][32], bs[32][32];
    const int y = threadIdx.x / 32, x = threadIdx.x % 32;
    const int m = blockIdx.y * 32 + y, n = blockIdx.x * 32 + x;
    float sum = 0;
    for (int k0 = 0; k0 < K; k0 += 32) {
        as[y][x] = at(a, m, k0 + x, M, K);
        bs[y][x] = at(b, k0 + y, n, K, N);
        __syncthreads();
        for (int k = 0; k < 32; k++)
            sum = fmaf(as[y][k], bs[k][x], sum);
        __syncthreads();
    }
    put(c, m, n, M, N, sum);
}

/* matmul, version 4: 8 results for each thread */
__global__ void matmul_v4(float *c, const float *a, const float *b, int M,
                          int N, int K)
{
    __shared__ float as[64][DEPTH], bs[DEPTH][64];
    const int t = threadIdx.x, x = t % 64, y = t / 64 * 8;
    const int m0 = blockIdx.y * 64, n0 = blockIdx.x * 64;
    float sum[8] = {};
    for (int k0 = 0; k0 < K; k0 += DEPTH) {
        as[t / DEPTH][t % DEPTH] = at(a, m0 + t / DEPTH, k0 + t % DEPTH,
                                      M, K);
        bs[t / 64][t % 64] = at(b, k0 + t / 64, n0 + t % 64, K, N);
        __syncthreads();
        /* add 8 products for each k */
        for (int k = 0; k < DEPTH; k++) {
            const float bk = bs[k][x];
            #pragma unroll
            for (int i = 0; i < 8; i++)
                sum[i] = fmaf(as[y + i][k], bk, sum[i]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        put(c, m0 + y + i, n0 + x, M, N, sum[i]);
}

/* matmul, version 5: 8 x 8 results for each thread */
__global__ void __launch_bounds__(256)
matmul_v5(float *c, const float *a, const float *b, int M, int N, int K)
{
    __shared__ float as[128][DEPTH], bs[DEPTH][128];
    const int t = threadIdx.x, x = t % 16 * 8, y = t / 16 * 8;
    const int m0 = blockIdx.y * 128, n0 = blockIdx.x * 128;
    float sum[8][8] = {};
    for (int k0 = 0; k0 < K; k0 += DEPTH) {
        /* bring a tile of a and one of b */
        for (int i = t; i < 128 * DEPTH; i += 256) {
            as[i / DEPTH][i % DEPTH] = at(a, m0 + i / DEPTH, k0 + i % DEPTH, M, K);
            bs[i / 128][i % 128] = at(b, k0 + i / 128, n0 + i % 128, K, N);
        }
        __syncthreads();
        for (int k = 0; k < DEPTH; k++)
            /* add the outer product of two fragments */
            {
                float ak[8], bk[8];
                #pragma unroll
                for (int i = 0; i < 8; i++) {
                    ak[i] = as[y + i][k];
                    bk[i] = bs[k][x + i];
                }
                #pragma unroll
                for (int i = 0; i < 8; i++)
                    #pragma unroll
                    for (int j = 0; j < 8; j++)
                        sum[i][j] = fmaf(ak[i], bk[j], sum[i][j]);
            }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            put(c, m0 + y + i, n0 + x + j, M, N, sum[i][j]);
}

/* the layout of version 6 */
/* A tile of M x N results, TM x TN of them for each thread; PITCH: words
 * from one row of the transposed tile of a to the next. */
template <int M_, int N_, int TM_, int TN_, int PITCH_> struct Shape {
    enum { M = M_, N = N_, TM = TM_, TN = TN_, PITCH = PITCH_,
           THREADS = M * N / (TM * TN) };
};

/* Threads in rows of 16, each with 8 consecutive rows and columns. */
struct Rows : Shape<128, 128, 8, 8, 128> {
    __device__ static int row(int i)
    {
        return threadIdx.x / 16 * 8 + i * 4;
    }
    __device__ static int col(int j)
    {
        return threadIdx.x % 16 * 8 + j * 4;
    }
};

/* four numbers of a row */
/* x[row][col .. col + 3], 0 outside; ALIGNED: cols is a multiple of 4. */
template <bool ALIGNED> __device__ static __forceinline__ float4
four(const float *x, int row, int col, int rows, int cols)
{
    if (!ALIGNED)
        return make_float4(at(x, row, col, rows, cols),
                           at(x, row, col + 1, rows, cols),
                           at(x, row, col + 2, rows, cols),
                           at(x, row, col + 3, rows, cols));
    return row < rows && col < cols
         ? *(const float4 *)(x + (size_t)row * cols + col)
         : make_float4(0, 0, 0, 0);
}

/* load a piece of a */
/* What a thread loads of a tile of a, T::M x DEPTH, and of one of b. */
template <class T> struct Piece {
    float4 a[T::M * DEPTH / 4 / T::THREADS];
    float4 b[T::N * DEPTH / 4 / T::THREADS];
};

template <bool ALIGNED, class T> __device__ static __forceinline__ void
load_a(Piece<T> *p, const float *a, int m0, int k0, int M, int K)
{
    #pragma unroll
    for (int q = 0; q < T::M * DEPTH / 4 / T::THREADS; q++) {
        const int i = threadIdx.x + q * T::THREADS;
        p->a[q] = four<ALIGNED>(a, m0 + i / 2, k0 + i % 2 * 4, M, K);
    }
}

/* load a piece of b */
template <bool ALIGNED, class T> __device__ static __forceinline__ void
load_b(Piece<T> *p, const float *b, int k0, int n0, int K, int N)
{
    #pragma unroll
    for (int q = 0; q < T::N * DEPTH / 4 / T::THREADS; q++) {
        const int i = threadIdx.x + q * T::THREADS;
        p->b[q] = four<ALIGNED>(b, k0 + i / (T::N / 4),
                                n0 + i % (T::N / 4) * 4, K, N);
    }
}

/* store the piece of a, transposed */
template <class T> struct __align__(16) Stage {
    float a[DEPTH][T::PITCH], b[DEPTH][T::N];
};

template <class T> __device__ static __forceinline__ void
store_a(Stage<T> *s, const Piece<T> *p)
{
    #pragma unroll
    for (int q = 0; q < T::M * DEPTH / 4 / T::THREADS; q++) {
        const int i = threadIdx.x + q * T::THREADS, k = i % 2 * 4;
        s->a[k][i / 2] = p->a[q].x;
        s->a[k + 1][i / 2] = p->a[q].y;
        s->a[k + 2][i / 2] = p->a[q].z;
        s->a[k + 3][i / 2] = p->a[q].w;
    }
}

/* store the piece of b */
template <class T> __device__ static __forceinline__ void
store_b(Stage<T> *s, const Piece<T> *p)
{
    #pragma unroll
    for (int q = 0; q < T::N * DEPTH / 4 / T::THREADS; q++) {
        const int i = threadIdx.x + q * T::THREADS;
        ((float4 *)s->b[i / (T::N / 4)])[i % (T::N / 4)] = p->b[q];
    }
}

/* load two fragments, and multiply them */
template <class T> struct Fragments { float a[T::TM], b[T::TN]; };

template <class T> __device__ static __forceinline__ void
fragments(Fragments<T> *f, const Stage<T> *s, int k)
{
    #pragma unroll
    for (int i = 0; i < T::TM / 4; i++)
        *(float4 *)&f->a[4 * i] = ((const float4 *)s->a[k])[T::row(i) / 4];
    #pragma unroll
    for (int j = 0; j < T::TN / 4; j++)
        *(float4 *)&f->b[4 * j] = ((const float4 *)s->b[k])[T::col(j) / 4];
}

template <class T> __device__ static __forceinline__ void
multiply(float sum[T::TM][T::TN], const Fragments<T> *f)
{
    #pragma unroll
    for (int i = 0; i < T::TM; i++)
        #pragma unroll
        for (int j = 0; j < T::TN; j++)
            sum[i][j] = fmaf(f->a[i], f->b[j], sum[i][j]);
}

/* write the results of this thread */
template <bool ALIGNED, class T> __device__ static __forceinline__ void
write(float *c, int m0, int n0, int M, int N, float sum[T::TM][T::TN])
{
    #pragma unroll
    for (int i = 0; i < T::TM; i++)
        #pragma unroll
        for (int j = 0; j < T::TN; j += 4) {
            const int m = m0 + T::row(i / 4) + i % 4;
            const int n = n0 + T::col(j / 4);
            if (ALIGNED && m < M && n < N)
                *(float4 *)(c + (size_t)m * N + n) = *(float4 *)&sum[i][j];
            for (int k = 0; !ALIGNED && k < 4; k++)
                put(c, m, n + k, M, N, sum[i][j + k]);
        }
}

/* matmul, version 6: four numbers in each load */
template <class T, bool ALIGNED>
__global__ void __launch_bounds__(T::THREADS, 512 / T::THREADS)
matmul_v6(float *c, const float *a, const float *b, int M, int N, int K)
{
    const int m0 = blockIdx.y * T::M, n0 = blockIdx.x * T::N;
    __shared__ Stage<T> s;
    Piece<T> p;
    Fragments<T> f;
    float sum[T::TM][T::TN] = {};
    for (int k0 = 0; k0 < K; k0 += DEPTH) {
        load_a<ALIGNED>(&p, a, m0, k0, M, K);
        load_b<ALIGNED>(&p, b, k0, n0, K, N);
        store_a(&s, &p);
        store_b(&s, &p);
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            fragments(&f, &s, k);
            multiply<T>(sum, &f);
        }
        __syncthreads();
    }
    write<ALIGNED, T>(c, m0, n0, M, N, sum);
}

/* the layout of version 7 */
/* Warps of 32 x 64 results in 4 rows and 2 columns; in each, 4 x 8 lanes
 * with squares that are 16 rows or 32 columns apart. */
struct Warps : Shape<128, 128, 8, 8, 128> {
    __device__ static int row(int i)
    {
        return threadIdx.x / 64 * 32 + i * 16 + threadIdx.x % 32 / 8 * 4;
    }
    __device__ static int col(int j)
    {
        return threadIdx.x / 32 % 2 * 64 + j * 32 + threadIdx.x % 8 * 4;
    }
};

/* the layout of version 8 */
/* Tiles of warps, WARPS of them along m; lanes with their bits mixed. */
template <int M, int N, int TM, int TN, int WARPS>
struct Mixed : Shape<M, N, TM, TN, M + 4> {
    enum { COLUMNS = M * N / (TM * TN) / 32 / WARPS,
           WARP_M = M / WARPS, WARP_N = N / COLUMNS };
    static_assert(WARP_M == 4 * TM && WARP_N == 8 * TN, "4 x 8 lanes");
    __device__ static int row(int i)
    {
        const int t = threadIdx.x, lane = (t >> 1 & 1) | (t >> 2 & 2);
        return t / 32 / COLUMNS * WARP_M + i * 16 + lane * 4;
    }
    __device__ static int col(int j)
    {
        const int t = threadIdx.x;
        const int lane = (t & 1) | (t >> 1 & 2) | (t >> 2 & 4);
        return t / 32 % COLUMNS * WARP_N + j * 32 + lane * 4;
    }
};

/* the shapes of versions 8 to 12 */
typedef Mixed<128, 128, 8, 8, 4> Squares;
typedef Mixed<128, 128, 16, 8, 2> Tall;
typedef Mixed<64, 128, 8, 8, 2> Small;

/* matmul, version 9: double buffering */
template <class T, bool ALIGNED>
__global__ void __launch_bounds__(T::THREADS, 512 / T::THREADS)
matmul_v9(float *c, const float *a, const float *b, int M, int N, int K)
{
    const int m0 = blockIdx.y * T::M, n0 = blockIdx.x * T::N;
    __shared__ Stage<T> s[2];
    Piece<T> p;
    Fragments<T> f;
    float sum[T::TM][T::TN] = {};
    load_a<ALIGNED>(&p, a, m0, 0, M, K);
    load_b<ALIGNED>(&p, b, 0, n0, K, N);
    for (int k0 = 0, now = 0; k0 < K; k0 += DEPTH, now ^= 1) {
        store_a(&s[now], &p);
        store_b(&s[now], &p);
        __syncthreads();
        load_a<ALIGNED>(&p, a, m0, k0 + DEPTH, M, K);
        load_b<ALIGNED>(&p, b, k0 + DEPTH, n0, K, N);
        #pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            fragments(&f, &s[now], k);
            multiply<T>(sum, &f);
        }
    }
    write<ALIGNED, T>(c, m0, n0, M, N, sum);
}

/* matmul, version 10: fragments ahead */
template <class T, bool ALIGNED>
__global__ void __launch_bounds__(T::THREADS, 256 / T::THREADS)
matmul_v10(float *c, const float *a, const float *b, int M, int N, int K)
{
    const int m0 = blockIdx.y * T::M, n0 = blockIdx.x * T::N;
    __shared__ Stage<T> s[2];
    Piece<T> p;
    Fragments<T> f[2];
    float sum[T::TM][T::TN] = {};
    load_a<ALIGNED>(&p, a, m0, 0, M, K);
    load_b<ALIGNED>(&p, b, 0, n0, K, N);
    store_a(&s[0], &p);
    store_b(&s[0], &p);
    __syncthreads();
    fragments(&f[0], &s[0], 0);
    for (int k0 = 0, now = 0; k0 < K; k0 += DEPTH) {
        load_a<ALIGNED>(&p, a, m0, k0 + DEPTH, M, K);
        load_b<ALIGNED>(&p, b, k0 + DEPTH, n0, K, N);
        #pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            if (k == DEPTH - 1) {
                now ^= 1;
                store_a(&s[now], &p);
                store_b(&s[now], &p);
                __syncthreads();
            }
            fragments(&f[(k + 1) % 2], &s[now], (k + 1) % DEPTH);
            multiply<T>(sum, &f[k % 2]);
        }
    }
    write<ALIGNED, T>(c, m0, n0, M, N, sum);
}

/* find where a thread's numbers begin */
template <class T> struct From {
    const float *a[T::M * DEPTH / 4 / T::THREADS];
    const float *b[T::N * DEPTH / 4 / T::THREADS];
};

template <class T> __device__ static __forceinline__ void
begin(From<T> *f, const float *a, const float *b, int m0, int n0, int M,
      int N, int K)
{
    #pragma unroll
    for (int q = 0; q < T::M * DEPTH / 4 / T::THREADS; q++) {
        const int i = threadIdx.x + q * T::THREADS, m = m0 + i / 2;
        f->a[q] = a + (size_t)(m < M ? m : 0) * K + i % 2 * 4;
    }
    #pragma unroll
    for (int q = 0; q < T::N * DEPTH / 4 / T::THREADS; q++) {
        const int i = threadIdx.x + q * T::THREADS;
        const int n = n0 + i % (T::N / 4) * 4;
        f->b[q] = b + (size_t)(i / (T::N / 4)) * N + (n < N ? n : 0);
    }
}

/* load a, copy b, and advance */
template <class T> __device__ static __forceinline__ void
next(Piece<T> *p, Stage<T> *s, From<T> *f, int N)
{
    #pragma unroll
    for (int q = 0; q < T::M * DEPTH / 4 / T::THREADS; q++) {
        p->a[q] = *(const float4 *)f->a[q];
        f->a[q] += DEPTH;
    }
    #pragma unroll
    for (int q = 0; q < T::N * DEPTH / 4 / T::THREADS; q++) {
        const int i = threadIdx.x + q * T::THREADS;
        cp_async(&s->b[i / (T::N / 4)][i % (T::N / 4) * 4], f->b[q]);
        f->b[q] += (size_t)DEPTH * N;
    }
}

/* multiply in serpentines */
template <class T> __device__ static __forceinline__ void
multiply_serpentine(float sum[T::TM][T::TN], const Fragments<T> *f)
{
    #pragma unroll
    for (int i = 0; i < T::TM; i++)
        #pragma unroll
        for (int n = 0; n < T::TN; n++) {
            const int j = i % 2 ? T::TN - 1 - n : n;
            sum[i][j] = fmaf(f->a[i], f->b[j], sum[i][j]);
        }
}

/* matmul, version 11: addresses that advance */
/* needs: N a multiple of 4, K a multiple of DEPTH. */
template <class T, bool SERPENTINE>
__global__ void __launch_bounds__(T::THREADS, 256 / T::THREADS)
matmul_v11(float *c, const float *a, const float *b, int M, int N, int K)
{
    const int m0 = blockIdx.y * T::M, n0 = blockIdx.x * T::N;
    __shared__ Stage<T> s[2];
    Piece<T> p;
    From<T> from;
    Fragments<T> f[2];
    float sum[T::TM][T::TN] = {};
    int now = 0;
    begin(&from, a, b, m0, n0, M, N, K);
    next(&p, &s[0], &from, N);
    /* store a, and wait for b */
    store_a(&s[now], &p);
    cp_async_wait_all();
    __syncthreads();
    fragments(&f[0], &s[0], 0);
    for (int k0 = 0; k0 < K; k0 += DEPTH) {
        if (k0 + DEPTH < K)
            next(&p, &s[now ^ 1], &from, N);
        #pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            if (k == DEPTH - 1) {
                now ^= 1;
                /* store a, and wait for b */
                store_a(&s[now], &p);
                cp_async_wait_all();
                __syncthreads();
            }
            fragments(&f[(k + 1) % 2], &s[now], (k + 1) % DEPTH);
            /* multiply, forwards or in serpentines */
            if (SERPENTINE)
                multiply_serpentine<T>(sum, &f[k % 2]);
            else
                multiply<T>(sum, &f[k % 2]);
        }
    }
    write<true, T>(c, m0, n0, M, N, sum);
}

/* launch a kernel of the ladder */
int up(int n, int d)
{
    return (n + d - 1) / d;
}

typedef void Kernel(float *c, const float *a, const float *b, int M, int N,
                    int K);

/* A block of `threads` for each tile of tile x tile results. */
template <Kernel *kernel, int tile, int threads>
void simple(float *c, const float *a, const float *b, int M, int N, int K)
{
    kernel<<<dim3(up(N, tile), up(M, tile)), threads>>>(c, a, b, M, N, K);
    CUDA_OK(cudaGetLastError());
}

/* Rows of a and b that begin at multiples of 16 bytes, or others. */
template <class T, Kernel *aligned, Kernel *any>
void wide(float *c, const float *a, const float *b, int M, int N, int K)
{
    Kernel *const kernel = N % 4 == 0 && K % 4 == 0 ? aligned : any;
    kernel<<<dim3(up(N, T::N), up(M, T::M)), T::THREADS>>>(c, a, b, M, N,
                                                           K);
    CUDA_OK(cudaGetLastError());
}

template <class T, bool SERPENTINE>
void v11(float *c, const float *a, const float *b, int M, int N, int K)
{
    if (K % DEPTH == 0)
        wide<T, matmul_v11<T, SERPENTINE>, matmul_v10<T, false>>(
            c, a, b, M, N, K);
    else
        wide<T, matmul_v10<T, true>, matmul_v10<T, false>>(c, a, b, M, N,
                                                           K);
}

void v12(float *c, const float *a, const float *b, int M, int N, int K)
{
    const unsigned tiles = (unsigned)(up(M, Tall::M) * up(N, Tall::N));
    if (tiles <= multiprocessors())
        v11<Small, true>(c, a, b, M, N, K);
    else
        v11<Tall, true>(c, a, b, M, N, K);
}

}

/* the table of matmuls */
const struct Matmul *matmuls(void)
{
    static const struct Matmul all[] = {
        { "v1", simple<matmul_v1, 32, 1024> },
        { "v2", simple<matmul_v2, 32, 1024> },
        { "v3", simple<matmul_v3, 32, 1024> },
        { "v4", simple<matmul_v4, 64, 512> },
        { "v5", simple<matmul_v5, 128, 256> },
        { "v6", wide<Rows, matmul_v6<Rows, true>, matmul_v6<Rows, false>> },
        { "v7", wide<Warps, matmul_v6<Warps, true>,
                     matmul_v6<Warps, false>> },
        { "v8", wide<Squares, matmul_v6<Squares, true>,
                     matmul_v6<Squares, false>> },
        { "v9", wide<Squares, matmul_v9<Squares, true>,
                     matmul_v9<Squares, false>> },
        { "v10", wide<Tall, matmul_v10<Tall, true>,
                      matmul_v10<Tall, false>> },
        { "v11", v11<Tall, false> },
        { "v12", v12 },
        { 0, 0 } };
    return all;
}
