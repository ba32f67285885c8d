/* Tangled from chapters/workshop/measuring-a-gpu.nw, "bandwidth: how fast each level delivers".  Edit it there. */

/* bandwidth: how many bytes a second come from each level, all
 * multiprocessors asking at once. */
#include "bench/cuda_bench.cuh"
#include "bench/read_once.cuh"

enum { THREADS = 1024, RUNS = 21 };

/* read 16 bytes */
#define LOAD16(where, v, p)                                            \
    asm volatile("ld." where ".v4.u32 {%0, %1, %2, %3}, [%4];"         \
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)          \
                 : "l"(p))

/* read a block again and again */
/* All threads together walk over x[0..n) again and again; step is the
 * number of threads modulo n. */
__global__ void read_again(uint4 *sink, const uint4 *x, size_t n,
                           size_t step, int times)
{
    size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) % n;
    uint4 any = { 0, 0, 0, 0 };
    for (int t = 0; t < times; t += 4) {
        uint4 v[4];
        for (int k = 0; k < 4; k++) {
            LOAD16("global.cg", v[k], x + i);
            i += step;
            i -= i >= n ? n : 0;
        }
        mix(&any, v);
    }
    keep(sink, any);
}

/* read 32 KiB of its own */
/* Each block reads 32 KiB of its own, which L1 keeps. */
__global__ void read_own(uint4 *sink, const uint4 *x, int times)
{
    const uint4 *own = x + (size_t)blockIdx.x * 2048;
    uint4 any = { 0, 0, 0, 0 };
    for (int t = 0; t < times; t += 4) {
        uint4 v[4];
        for (int k = 0; k < 4; k++)
            LOAD16("global.ca", v[k],
                   own + ((threadIdx.x + (t + k) * 32) & 2047));
        mix(&any, v);
    }
    keep(sink, any);
}

/* read shared memory again and again */
__global__ void read_shared(uint4 *sink, int times)
{
    __shared__ uint4 tile[2048];
    for (int k = 0; k < 2; k++)
        tile[threadIdx.x + 1024 * k] = make_uint4(threadIdx.x, k, 7, times);
    __syncthreads();
    uint4 any = { 0, 0, 0, 0 };
    for (int t = 0; t < times; t += 4) {
        uint4 v[4];
        for (int k = 0; k < 4; k++) {
            unsigned at = (unsigned)__cvta_generic_to_shared(
                tile + ((threadIdx.x + (t + k) * 32) & 2047));
            asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, "
                         "[%4];"
                         : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z),
                           "=r"(v[k].w) : "r"(at) : "memory");
        }
        mix(&any, v);
    }
    keep(sink, any);
}

/* multiply-adds in many chains */
__global__ void fma_chains(float *to, int times)
{
    float x[8], a = threadIdx.x * 1e-9f, b = times * 1e-9f;
    for (int k = 0; k < 8; k++)
        x[k] = (float)k;
    #pragma unroll 8
    for (int t = 0; t < times; t++)
        for (int k = 0; k < 8; k++)
            x[k] = fmaf(x[k], a, b);
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += x[k];
    if (sum == 1.2345678f)
        *to = sum;
}

/* read, write, copy */
__global__ void write_once(uint4 *y, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t z = (uint32_t)i * 0x9e3779b9u;
    for (; i < n; i += (size_t)gridDim.x * blockDim.x)
        y[i] = make_uint4(z ^ (uint32_t)i, z, z * 3, z * 5);
}

__global__ void copy_once(uint4 *y, const uint4 *x, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t all = (size_t)gridDim.x * blockDim.x;
    for (; i < n; i += 4 * all) {
        uint4 v[4];
        for (int k = 0; k < 4; k++)
            v[k] = x[i + k * all];
        for (int k = 0; k < 4; k++)
            y[i + k * all] = v[k];
    }
}

/* bandwidth: jobs */
static int sms;
static uint4 *sink;

struct Job {
    int kind, blocks, threads;
    uint4 *to;
    const uint4 *from;
    size_t n;                   /* pieces of 16 bytes */
    int times;                  /* loads of a thread, a multiple of 4 */
};

enum { FMA, SHARED, L1, WHOLE, READ, WRITE, COPY, MEMCPY };

static void work(void *job)
{
    const struct Job *j = (const struct Job *)job;
    const int b = j->blocks, t = j->threads;
    size_t all = (size_t)b * t;
    switch (j->kind) {
    case FMA:    fma_chains<<<b, t>>>((float *)sink, j->times); break;
    case SHARED: read_shared<<<b, t>>>(sink, j->times); break;
    case L1:     read_own<<<b, t>>>(sink, j->from, j->times); break;
    case WHOLE:  read_again<<<b, t>>>(sink, j->from, j->n, all % j->n,
                                      j->times); break;
    case READ:   read_once<<<b, t>>>(sink, j->from, j->n); break;
    case WRITE:  write_once<<<b, t>>>(j->to, j->n); break;
    case COPY:   copy_once<<<b, t>>>(j->to, j->from, j->n); break;
    case MEMCPY: CUDA_OK(cudaMemcpyAsync(j->to, j->from, j->n * 16,
                                         cudaMemcpyDeviceToDevice, 0));
    }
    CUDA_OK(cudaGetLastError());
}

/* bandwidth: print a row */
static double row(const char *name, struct Job *j, double bytes)
{
    struct Sample t = gpu_time(work, j, RUNS, false);
    double tb = bytes / median(&t) / 1e12;
    printf("%-14s %9.1f us %9.1f - %9.1f %9.2f TB/s\n", name,
           1e6 * median(&t), 1e6 * fastest(&t), 1e6 * slowest(&t), tb);
    number_put(&numbers, "TB/s", tb, "h200.bw.%s", name);
    return tb;
}

/* bandwidth: on the chip */
static void on_chip(void)
{
    struct Job j = { FMA, 2 * sms, THREADS, NULL, NULL, 0, 1 << 14 };
    double threads = (double)j.blocks * j.threads;
    struct Sample t = gpu_time(work, &j, RUNS, false);
    double fma = threads * j.times * 8 / median(&t);
    printf("%-14s %9.1f us  %.1f TFLOP/s\n", "fma", 1e6 * median(&t),
           2 * fma / 1e12);
    number_put(&numbers, "TFLOP/s", 2 * fma / 1e12, "h200.fma");
    number_put(&numbers, "TB/s", 16 * fma / 1e12, "h200.bw.registers");

    j.kind = SHARED;
    j.times = 1 << 13;
    double ghz, tb = row("shared", &j, threads * j.times * 16);
    ghz = gpu_ghz();
    number_put(&numbers, "GHz", ghz, "h200.bw.clock");
    number_put(&numbers, "B", 1e3 * tb / ghz / sms, "h200.cycle.shared");
    j.kind = L1;
    j.from = (const uint4 *)random_memory((size_t)sms * 64 << 10);
    tb = row("l1", &j, threads * j.times * 16);
    number_put(&numbers, "B", 1e3 * tb / ghz / sms, "h200.cycle.l1");
    CUDA_OK(cudaFree((void *)j.from));
}

/* bandwidth: the sweep */
static void sweep(void)
{
    const int mib[] = { 1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48,
        52, 56, 64, 80, 96, 128, 192, 256, 512, 1024, 2048 };
    struct Job j = { WHOLE, 2 * sms, THREADS, NULL, NULL, 0, 2048 };
    double threads = (double)j.blocks * j.threads;
    j.from = (const uint4 *)random_memory((size_t)2 << 30);
    for (size_t i = 0; i < sizeof mib / sizeof *mib; i++) {
        char name[40];
        j.n = (size_t)mib[i] << 16;
        snprintf(name, sizeof name, "read.%d", mib[i]);
        row(name, &j, threads * j.times * 16);
    }
    CUDA_OK(cudaFree((void *)j.from));
}

/* bandwidth: threads in flight */
/* The same reading of 1 GiB by fewer and fewer threads. */
static void in_flight(void)
{
    const size_t bytes = (size_t)1 << 30;
    struct Job j = { WHOLE, sms, 32, NULL, NULL, bytes / 16, 0 };
    j.from = (const uint4 *)random_memory(bytes);
    for (int t = 32; t <= 2048; t *= 2) {
        char name[40];
        j.threads = t < THREADS ? t : THREADS;
        j.blocks = t / j.threads * sms;
        j.times = (int)(j.n / ((size_t)j.blocks * j.threads)) & ~3;
        snprintf(name, sizeof name, "threads.%d", t);
        row(name, &j, (double)j.blocks * j.threads * j.times * 16);
    }
    CUDA_OK(cudaFree((void *)j.from));
}

/* bandwidth: HBM */
static void hbm(void)
{
    const size_t bytes = (size_t)2 << 30;
    size_t turn = (size_t)8 * sms * THREADS * 4;    /* see read_once */
    struct Job j = { READ, 8 * sms, THREADS, NULL, NULL,
                     bytes / 16 / turn * turn, 0 };
    j.to = (uint4 *)random_memory(bytes);
    j.from = (const uint4 *)random_memory(bytes);
    row("hbm.read", &j, 16.0 * (double)j.n);
    j.kind = WRITE;
    row("hbm.write", &j, 16.0 * (double)j.n);
    j.kind = COPY;
    row("hbm.copy", &j, 32.0 * (double)j.n);
    j.kind = MEMCPY;
    row("hbm.memcpy", &j, 32.0 * (double)j.n);
    CUDA_OK(cudaFree(j.to));
    CUDA_OK(cudaFree((void *)j.from));
}

int main(int argc, char **argv)
{
    struct cudaDeviceProp p;
    lab_open(argc, argv, "Measure the bandwidth of each level of memory.");
    CUDA_OK(cudaGetDeviceProperties(&p, 0));
    sms = p.multiProcessorCount;
    CUDA_OK(cudaMalloc(&sink, 16));
    on_chip();
    sweep();
    in_flight();
    hbm();
    CUDA_OK(cudaFree(sink));
    lab_close();
    return 0;
}
