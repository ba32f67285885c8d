/* Random numbers: known words, moments, evenly spread points. */
#include "foreign_rows.h"
#include <curand.h>
#include <curand_kernel.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 256, EACH = 64, N = THREADS * EACH };

__global__ void known(unsigned *to)
{
    curandStatePhilox4_32_10_t a, b;
    curand_init(0, 0, 0, &a);
    for (int i = 0; i < 12; i++)
        to[i] = curand(&a);
    curand_init(0, 0, 5, &b);
    to[12] = curand(&b);
    curand_init(0, 1, 0, &b);
    to[13] = curand(&b);
}
template <class State> __global__ void draw(float *u, float *g, double *d, unsigned *p)
{
    State s;
    curand_init(1234, threadIdx.x, 0, &s);
    for (int k = 0; k < EACH; k++) {
        int i = k * THREADS + threadIdx.x;
        u[i] = curand_uniform(&s);
        g[i] = curand_normal(&s);
        d[i] = curand_normal_double(&s);
        p[i] = curand_poisson(&s, k % 2 ? 3.5 : 40);
    }
}
__global__ void points(curandDirectionVectors32_t *v, unsigned *to, float *unit)
{
    curandStateSobol32_t s;
    curand_init(v[threadIdx.x / 128], threadIdx.x % 128 * 8, &s);
    for (int k = 0; k < 8; k++)
        to[threadIdx.x * 8 + k] = curand(&s);
    if (threadIdx.x == 0)
        *unit = curand_normal(&s);
}

static int moments(const double *x, int n, double mean, double deviation)
{
    double sum = 0, squares = 0, error = 5 / sqrt((double)n);
    for (int i = 0; i < n; i++)
        sum += x[i];
    sum /= n;
    for (int i = 0; i < n; i++)
        squares += (x[i] - sum) * (x[i] - sum);
    squares = sqrt(squares / n);
    return fabs(sum - mean) <= error * deviation && fabs(squares / deviation - 1) <= error;
}
/* No two threads or steps go together: correlation with the next in the array. */
static int independent(const double *x, int n, int by)
{
    double xy = 0, xx = 0, mean = 0;
    for (int i = 0; i < n; i++)
        mean += x[i] / n;
    for (int i = 0; i + by < n; i++)
        xy += (x[i] - mean) * (x[i + by] - mean), xx += (x[i] - mean) * (x[i] - mean);
    return fabs(xy / xx) < 5 / sqrt((double)n);
}
static double all[N], part[N];
template <class T> static const double *doubles(const T *device, int from = 0, int by = 1)
{
    static T host[N];
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        all[i] = (double)host[i];
    for (int k = 0; k < N / THREADS / by; k++)
        for (int t = 0; t < THREADS; t++)
            part[k * THREADS + t] = all[(from + k * by) * THREADS + t];
    return by > 1 ? part : all;
}
template <class State> static int kernels()
{
    float *u, *g;
    double *d;
    unsigned *p;
    cudaMalloc(&u, N * sizeof *u), cudaMalloc(&g, N * sizeof *g), cudaMalloc(&d, N * sizeof *d), cudaMalloc(&p, N * sizeof *p);
    draw<State><<<1, THREADS>>>(u, g, d, p);
    int right = moments(doubles(u), N, 0.5, sqrt(1 / 12.0));
    right &= independent(all, N, 1) && independent(all, N, THREADS);
    for (int i = 0; i < N; i++)
        right &= all[i] > 0 && all[i] <= 1;
    right &= moments(doubles(g), N, 0, 1) && independent(all, N, THREADS) && independent(all, N, 1);
    right &= moments(doubles(d), N, 0, 1) && independent(all, N, THREADS);
    right &= moments(doubles(p, 1, 2), N / 2, 3.5, sqrt(3.5)) && moments(doubles(p, 0, 2), N / 2, 40, sqrt(40.0));
    cudaFree(u), cudaFree(g), cudaFree(d), cudaFree(p);
    return right;
}
static int by_size(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return x < y ? -1 : x > y;
}
/* 1024 points: in each of 1024 equal parts of the line lies one. */
static int spread(unsigned *x)
{
    int right = 1;
    qsort(x, 1024, sizeof *x, by_size);
    for (unsigned i = 0; i < 1024; i++)
        right &= x[i] >> 22 == i;
    return right;
}
static int sobol()
{
    curandDirectionVectors32_t *host, *v;
    static unsigned x[2048], y[2048];
    unsigned *to;
    float *unit;
    if (curandGetDirectionVectors32(&host, CURAND_DIRECTION_VECTORS_32_JOEKUO6))
        return 0;
    cudaMalloc(&v, 2 * sizeof *v), cudaMalloc(&to, sizeof x), cudaMalloc(&unit, 4);
    cudaMemcpy(v, host + 3, 2 * sizeof *v, cudaMemcpyHostToDevice);
    points<<<1, 256>>>(v, to, unit);
    cudaMemcpy(x, to, sizeof x, cudaMemcpyDeviceToHost);
    memcpy(y, x, sizeof y);
    cudaFree(v), cudaFree(to), cudaFree(unit);
    /* the plane, too: 32 by 32 squares with one point each */
    int right = 1, cell[1024] = {};
    for (int i = 0; i < 1024; i++)
        cell[(y[i] >> 27) * 32 + (y[i + 1024] >> 27)]++;
    for (int i = 0; i < 1024; i++)
        right &= cell[i] <= 4;
    return right && spread(x) && spread(x + 1024);
}
static int arrays(int on_host)
{
    curandGenerator_t g, again;
    float *u;
    static float first[N], second[N];
    double *d;
    unsigned *p;
    int right = (on_host ? curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_DEFAULT) : curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT)) == 0;
    if (on_host) {
        curandSetPseudoRandomGeneratorSeed(g, 7);
        right &= curandGenerateUniform(g, first, N) == 0;
        for (int i = 0; i < N; i++)
            all[i] = first[i];
        right &= moments(all, N, 0.5, sqrt(1 / 12.0)) && independent(all, N, 1);
        curandDestroyGenerator(g);
        return right;
    }
    cudaMalloc(&u, N * sizeof *u), cudaMalloc(&d, N * sizeof *d), cudaMalloc(&p, N * sizeof *p);
    curandSetPseudoRandomGeneratorSeed(g, 7);
    right &= curandGenerateUniform(g, u, N) == 0;
    cudaMemcpy(first, u, sizeof first, cudaMemcpyDeviceToHost);
    right &= moments(doubles(u), N, 0.5, sqrt(1 / 12.0)) && independent(all, N, 1);
    curandGenerateUniform(g, u, N);
    cudaMemcpy(second, u, sizeof second, cudaMemcpyDeviceToHost);
    right &= memcmp(first, second, sizeof first) != 0;
    curandCreateGenerator(&again, CURAND_RNG_PSEUDO_DEFAULT);
    curandSetPseudoRandomGeneratorSeed(again, 7);
    curandGenerateUniform(again, u, N);
    cudaMemcpy(second, u, sizeof second, cudaMemcpyDeviceToHost);
    right &= !memcmp(first, second, sizeof first);
    right &= curandGenerateNormal(g, u, N, 3, 0.5f) == 0 && moments(doubles(u), N, 3, 0.5);
    right &= curandGenerateNormal(g, u, 3, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    right &= curandGenerateLogNormalDouble(g, d, N, 0, 0.25) == 0;
    doubles(d);
    for (int i = 0; i < N; i++)
        all[i] = log(all[i]);
    right &= moments(all, N, 0, 0.25) && curandGeneratePoisson(g, p, N, 9) == 0 && moments(doubles(p), N, 9, 3);
    curandDestroyGenerator(g), curandDestroyGenerator(again);
    /* neither one that was destroyed, nor one that never was */
    right &= curandDestroyGenerator(g) == CURAND_STATUS_NOT_INITIALIZED &&
        curandGenerateUniform((curandGenerator_t)0x2df675a1, u, N) == CURAND_STATUS_NOT_INITIALIZED;
    cudaFree(u), cudaFree(d), cudaFree(p);
    return right;
}
static int quasi()
{
    curandGenerator_t g;
    static unsigned x[4 * 1024];
    unsigned *to;
    int right = curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL32) == 0;
    right &= curandSetQuasiRandomGeneratorDimensions(g, 4) == 0;
    cudaMalloc(&to, sizeof x);
    right &= curandGenerate(g, to, 1001) == CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    right &= curandGenerate(g, to, 4 * 1024) == 0;
    cudaMemcpy(x, to, sizeof x, cudaMemcpyDeviceToHost);
    int same = !memcmp(x, x + 1024, sizeof x / 4) + !memcmp(x + 1024, x + 2048, sizeof x / 4);
    for (int k = 0; k < 4; k++)
        right &= spread(x + 1024 * k);
    right &= curandSetQuasiRandomGeneratorDimensions(g, 4000) == CURAND_STATUS_OUT_OF_RANGE && cudaGetLastError() != 0;
    curandDestroyGenerator(g);
    cudaFree(to);
    return right && same == 0;
}
int main()
{
    /* Random123's known answer for counter 0 and key 0 */
    static const unsigned kat[4] = { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 };
    unsigned *to, x[14];
    cudaMalloc(&to, sizeof x);
    known<<<1, 1>>>(to);
    cudaMemcpy(x, to, sizeof x, cudaMemcpyDeviceToHost);
    cudaFree(to);
    row("Philox's known words", !memcmp(x, kat, sizeof kat) && x[12] == x[5] && x[13] != x[0]);
    row("Philox in kernels", kernels<curandStatePhilox4_32_10_t>());
    row("xorwow in kernels", kernels<curandState>());
    row("MRG32k3a in kernels", kernels<curandStateMRG32k3a>());
    row("Sobol's points in kernels", sobol());
    row("arrays of the device", arrays(0));
    row("arrays of the host", arrays(1));
    row("quasirandom arrays", quasi());
    return rows_end();
}
