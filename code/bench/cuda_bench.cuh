/* Tangled from chapters/workshop/measuring-a-gpu.nw, "What the programs share".  Edit it there. */

#ifndef BENCH_CUDA_BENCH_CUH
#define BENCH_CUDA_BENCH_CUH

/* What the CUDA programs of bench/ share; included by one .cu file each. */
#include "backend/backend.h"
#include "backend/cuda.h"
#include "backend/cuda_name.h"
#include "bench/chase.h"
#include "bench/sample.h"
extern "C" {
#include "base/args.h"
#include "base/clock.h"
#include "bench/numbers.h"
}

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static struct Numbers numbers;

/* cuda_bench: options and the file of numbers */
static inline void lab_open(int argc, char **argv, const char *summary)
{
    static const char *out = "", *machine = "";
    const struct Option options[] = {
        NUMBERS_OPTIONS(out, machine),
        { NULL, OPT_END, NULL, 0, 0, NULL, NULL, NULL },
    };
    const struct Usage usage = { "[options]", summary, NULL };
    struct Error e;
    args_options(argc, argv, options, &usage);
    if (!*machine)
        machine = cuda_name(0);
    if (!numbers_open(&numbers, out, machine, "make bench-gpu", &e))
        fail("%s", e.text);
    printf("%s\n", machine);
}

static inline void lab_close(void)
{
    struct Error e;
    if (!numbers_close(&numbers, &e))
        fail("%s", e.text);
}

static inline void lab_close_operators(void)
{
    struct Error e;
    if (!backend_ok(&e))
        fail("%s", e.text);
    lab_close();
}

/* cuda_bench: time some work */
typedef void Work(void *job);

static inline void flush_l2(int value)
{
    static void *room;
    const size_t bytes = (size_t)256 << 20;
    if (!room)
        CUDA_OK(cudaMalloc(&room, bytes));
    CUDA_OK(cudaMemsetAsync(room, value, bytes, 0));
}

/* Two runs to warm up, then `runs`; cold: the L2 cache is overwritten
 * before each. */
static inline struct Sample gpu_time(Work *work, void *job, int runs,
                                     bool cold)
{
    struct Sample t = {};
    cudaEvent_t from, to;
    CUDA_OK(cudaEventCreate(&from));
    CUDA_OK(cudaEventCreate(&to));
    for (int r = -2; r < runs; r++) {
        float ms;
        if (cold)
            flush_l2(r);
        CUDA_OK(cudaEventRecord(from, 0));
        work(job);
        CUDA_OK(cudaEventRecord(to, 0));
        CUDA_OK(cudaEventSynchronize(to));
        CUDA_OK(cudaEventElapsedTime(&ms, from, to));
        if (r >= 0)
            sample_add(&t, ms / 1e3);
    }
    CUDA_OK(cudaEventDestroy(from));
    CUDA_OK(cudaEventDestroy(to));
    return t;
}

/* cuda_bench: report a timed row */
enum Rate { GBS, TFLOPS };          /* of bytes, of FLOP */

/* End the line of a row, `amount` bytes or FLOP in the times of t; the
 * format makes its name in the file of numbers. */
__attribute__((format(printf, 5, 6))) static inline void
timed_row(const struct Sample *t, double amount, enum Rate rate,
          double percent, const char *name_format, ...)
{
    char name[128];
    va_list args;
    va_start(args, name_format);
    vsnprintf(name, sizeof name, name_format, args);
    va_end(args);
    const bool flop = rate == TFLOPS;
    const char *const per_second = flop ? "TFLOP/s" : "GB/s";
    const char *unit[] = { "us", "us", "us", per_second, "%" };
    const char *what[] = { "us", "fastest", "slowest",
                           flop ? "tflops" : "gbs", "percent" };
    const double v[] = { 1e6 * median(t), 1e6 * fastest(t),
                         1e6 * slowest(t),
                         amount / median(t) / (flop ? 1e12 : 1e9),
                         percent };
    printf(" %10.1f us %10.1f - %10.1f %8.*f %s %6.1f %%\n", v[0], v[1],
           v[2], flop ? 2 : 0, v[3], per_second, v[4]);
    for (int i = 0; i < 5; i++)
        number_put(&numbers, unit[i], v[i], "%s.%s", name, what[i]);
}

/* cuda_bench: the clock of the chip */
__device__ static inline uint64_t global_ns(void)
{
    uint64_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

__global__ static void spin(uint64_t *took)
{
    uint64_t ns = global_ns(), until = ns + 20000000;
    int64_t cycles = clock64();
    while (global_ns() < until) {
    }
    took[0] = clock64() - cycles;
    took[1] = global_ns() - ns;
}

/* Cycles in a nanosecond, over the last 20 ms. */
static inline double gpu_ghz(void)
{
    uint64_t *took, h[2];
    CUDA_OK(cudaMalloc(&took, sizeof h));
    spin<<<1, 1>>>(took);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(h, took, sizeof h, cudaMemcpyDeviceToHost));
    CUDA_OK(cudaFree(took));
    return (double)h[0] / (double)h[1];
}

/* cuda_bench: random bytes */
/* 32 bits that look random, others for each z. */
__host__ __device__ static inline uint32_t hash(uint32_t z)
{
    z = (z ^ (z >> 16)) * 0x85ebca6bu;
    z = (z ^ (z >> 13)) * 0xc2b2ae35u;
    return z ^ (z >> 16);
}

__global__ static void fill_random(uint32_t *x, size_t words, uint32_t seed)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (; i < words; i += step)        /* as a float: below 2 */
        x[i] = hash((uint32_t)i * 0x9e3779b9u + seed) & 0xbfffffffu;
}

static inline void *random_memory(size_t bytes)
{
    void *p;
    CUDA_OK(cudaMalloc(&p, bytes));
    fill_random<<<1024, 256>>>((uint32_t *)p, bytes / 4, 12345);
    CUDA_OK(cudaGetLastError());
    return p;
}

/* Numbers between -2 and 2, others for each seed. */
__global__ static void fill_uniform(float *x, size_t n, uint32_t seed)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += step)
        x[i] = (float)(hash((uint32_t)i * 0x9e3779b9u + seed) >> 8)
             * 0x1p-22f - 2;
}

static inline float *uniform_memory(size_t n, uint32_t seed)
{
    float *x;
    CUDA_OK(cudaMalloc(&x, n * sizeof *x));
    fill_uniform<<<1024, 256>>>(x, n, seed);
    CUDA_OK(cudaGetLastError());
    return x;
}

#endif
