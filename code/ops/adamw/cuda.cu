/* Tangled from chapters/gpt2/operators-on-the-gpu.nw, "A thread for each element: residual, AdamW, GELU".  Edit it there. */

#include "backend/backend.h"
#include "ops/adamw/coefficients.h"
#include "ops/kernels/common.cuh"
#include "ops/operators.h"

/* adamw: a thread per parameter */
/* One step of AdamW, one thread per parameter.
 *   launch    ceil(n / 256) blocks of 256
 *   moves     28 n bytes: w, m, v, g in, w, m, v out
 *   ceiling   memory                       FLOP  about 15 n */
__global__ void adamw_kernel(float *w, float *m, float *v, const float *g,
                             size_t n, struct AdamwCoefficients k)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    /* move parameter i, and its two moments */
    const float x = k.scale * g[i];
    const float mean = fmaf(k.beta1, m[i], k.one_minus_beta1 * x);
    const float square = fmaf(k.beta2, v[i],
                              k.one_minus_beta2 * (x * x));
    const float size = fmaf(sqrtf(square), k.root, k.eps);
    m[i] = mean;
    v[i] = square;
    w[i] -= fmaf(k.shrink, w[i], k.rate * mean / size);
}

/* launch adamw */
void cuda_adamw_update(real *w, real *m, real *v, const real *g, size_t n,
                       const struct AdamwStep *s)
{
    const struct AdamwCoefficients c = adamw_coefficients(s);
    adamw_kernel<<<blocks_for(n, THREADS), THREADS, 0, backend_stream()>>>(
        w, m, v, g, n, c);
    LAUNCHED();
}

/* sum of squares: a number per block */
enum { PARTS = 256 };

/* part[b] = the sum of g[i]^2 over the elements of block b, which takes
 * every 256th piece of 256, added in double in a fixed order.
 *   launch    256 blocks of 256            shared  2,048 bytes
 *   moves     4 n bytes                    ceiling   memory */
__global__ void sum_squares_kernel(double *part, const float *g, size_t n)
{
    __shared__ double sums[THREADS];
    /* sum = the squares of every 65,536th number */
    const size_t stride = (size_t)PARTS * THREADS;
    double sum = 0;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += stride)
        sum = fma((double)g[i], (double)g[i], sum);
    sums[threadIdx.x] = sum;
    /* add up sums, half of them at a time */
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        part[blockIdx.x] = sums[0];
}

/* sum of squares of very many numbers */
/* From so many numbers on the norm is taken by these. */
enum { MANY = 1 << 20, MANY_PARTS = 528, MANY_LOADS = 8 };

/* sum of squares of very many numbers: the kernel */
/* As sum_squares_kernel, with eight loads of 16 bytes in a turn.
 *   launch    528 blocks of 256            shared  2,048 bytes
 *   moves     4 n bytes                    ceiling   memory */
__global__ void sum_squares_many(double *part, const float *g, size_t n)
{
    __shared__ double sums[THREADS];
    const size_t stride = (size_t)MANY_PARTS * THREADS;
    const float4 *four = (const float4 *)g;
    double sum = 0;
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    for (; i < n / 4; i += MANY_LOADS * stride) {
        /* ask for MANY_LOADS fours, then add their squares */
        float4 x[MANY_LOADS] = {};
        #pragma unroll
        for (int k = 0; k < MANY_LOADS; k++)
            if (i + k * stride < n / 4)
                x[k] = four[i + k * stride];
        #pragma unroll
        for (int k = 0; k < MANY_LOADS; k++) {
            sum = fma((double)x[k].x, (double)x[k].x, sum);
            sum = fma((double)x[k].y, (double)x[k].y, sum);
            sum = fma((double)x[k].z, (double)x[k].z, sum);
            sum = fma((double)x[k].w, (double)x[k].w, sum);
        }
    }
    /* the first block adds what is left of a four */
    i = n / 4 * 4 + threadIdx.x;                /* at most three more */
    if (blockIdx.x == 0 && i < n)
        sum = fma((double)g[i], (double)g[i], sum);
    sums[threadIdx.x] = sum;
    /* add up sums, half of them at a time */
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        part[blockIdx.x] = sums[0];
}

/* launch the sum of squares */
double cuda_sum_squares(const real *g, size_t n)
{
    /* sum the squares of very many numbers */
    if (n >= MANY && (uintptr_t)g % 16 == 0) {
        const size_t bytes = MANY_PARTS * sizeof(double);
        /* to = a place for the parts that kernels can write to */
        static double *many;                /* kernels can write there */
        if (!many)
            many = (double *)backend_host_alloc(bytes, "the norm's parts");
        double *to = many, total = 0;
        #ifndef __NVCC__                    /* not the software GPU's */
        to = (double *)backend_scratch(bytes);
        #endif
        if (!many || !to)
            return NAN;
        sum_squares_many<<<MANY_PARTS, THREADS, 0, backend_stream()>>>(to, g,
                                                                   n);
        LAUNCHED();
        if (to != many)
            backend_get_async(many, to, bytes);
        backend_wait();
        if (!backend_ok(NULL))
            return NAN;
        for (int p = 0; p < MANY_PARTS; p++)
            total += many[p];
        return total;
    }
    double part[PARTS], sum = 0;
    double *d_part = (double *)backend_scratch(sizeof part);
    if (!d_part)
        return NAN;
    sum_squares_kernel<<<PARTS, THREADS, 0, backend_stream()>>>(d_part, g,
                                                            n);
    LAUNCHED();
    backend_get(part, d_part, sizeof part);
    if (!backend_ok(NULL))
        return NAN;
    for (int p = 0; p < PARTS; p++)
        sum += part[p];
    return sum;
}
