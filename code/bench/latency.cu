/* Tangled from chapters/workshop/measuring-a-gpu.nw, "latency: the levels of a GPU".  Edit it there. */

/* latency: how long one load takes on this GPU, level by level. */
#include "bench/cuda_bench.cuh"

enum { LINE = 128, RUNS = 5, LINES = 2048, STEPS_EACH = 64 };

static uint64_t *took;              /* device: cycles, ns, an address */

/* follow pointers on the GPU */
#define FOLLOW(name, load)                                             \
    __global__ void name(uint64_t *took, uint64_t p, int warm,         \
                         int steps)                                    \
    {                                                                  \
        for (int i = 0; i < warm; i++)                                 \
            asm volatile(load " %0, [%0];" : "+l"(p));                 \
        uint64_t ns = global_ns();                                     \
        int64_t cycles = clock64();                                    \
        for (int i = 0; i < steps; i++)                                \
            asm volatile(load " %0, [%0];" : "+l"(p));                 \
        took[0] = clock64() - cycles;                                  \
        took[1] = global_ns() - ns;                                    \
        took[2] = p;                                                   \
    }
FOLLOW(follow_cached, "ld.global.ca.u64")       /* L1, then L2, HBM */
FOLLOW(follow_l2,     "ld.global.cg.u64")       /* past L1          */

/* follow pointers in shared memory */
__global__ void follow_shared(uint64_t *took, uint64_t links, int warm,
                              int steps)
{
    __shared__ uint32_t cell[1024];
    const uint32_t *next = (const uint32_t *)links;
    uint32_t first = (uint32_t)__cvta_generic_to_shared(cell), p = first;
    for (int i = 0; i < 1024; i++)
        cell[i] = first + 4 * next[i];
    for (int i = 0; i < warm; i++)
        asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p) :: "memory");
    uint64_t ns = global_ns();
    int64_t cycles = clock64();
    for (int i = 0; i < steps; i++)
        asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p) :: "memory");
    took[0] = clock64() - cycles;
    took[1] = global_ns() - ns;
    took[2] = p == 1 ? 0 : links;
}

/* a chain of multiply-adds */
__global__ void fma_chain(uint64_t *took, uint64_t start, int warm,
                          int steps)
{
    float x = (float)start, a = (float)warm, b = (float)steps;
    uint64_t ns = global_ns();
    int64_t cycles = clock64();
    #pragma unroll 64
    for (int i = 0; i < steps; i++)
        asm volatile("fma.rn.f32 %0, %0, %1, %2;"
                     : "+f"(x) : "f"(a), "f"(b));
    took[0] = clock64() - cycles;
    took[1] = global_ns() - ns;
    took[2] = x == 1.5f ? 1 : start;
}

/* each line, from each multiprocessor */
/* each[b][k] = cycles that STEPS_EACH loads of line k take from block b's
 * multiprocessor.  The line points to itself; link: write that first. */
__global__ void each_line(uint32_t *each, char *block, bool link)
{
    for (int k = 0; k < LINES; k++) {
        uint64_t p = (uint64_t)(block + (k * 8191 % 262144) * (size_t)LINE);
        if (link)
            *(uint64_t *)p = p;
        __threadfence();
        asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p));
        int64_t cycles = clock64();
        #pragma unroll 1
        for (int i = 0; i < STEPS_EACH; i++)
            asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p));
        each[blockIdx.x * LINES + k] = (uint32_t)(clock64() - cycles)
                                       + (p == 0);
    }
}

/* latency: link lines on the GPU */
/* Line i lies at i * spacing, and a little further when the spacing is
 * more than a line, so that lines spread over all sets of a cache. */
__device__ static size_t place(size_t i, size_t spacing)
{
    return i * spacing + (spacing > LINE ? i * LINE % spacing : 0);
}

__global__ void write_links(char *block, const uint32_t *next, size_t n,
                            size_t spacing)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        *(uint64_t *)(block + place(i, spacing))
            = (uint64_t)(block + place(next[i], spacing));
}

static void link_lines(char *block, size_t n, size_t spacing)
{
    uint32_t *next = (uint32_t *)malloc(n * sizeof *next), *d_next;
    if (!next)
        fail("no memory for a cycle of %zu lines", n);
    chase_cycle(next, n, n);
    CUDA_OK(cudaMalloc(&d_next, n * sizeof *next));
    CUDA_OK(cudaMemcpy(d_next, next, n * sizeof *next,
                       cudaMemcpyHostToDevice));
    write_links<<<(unsigned)((n + 255) / 256), 256>>>(block, d_next, n,
                                                      spacing);
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaFree(d_next));
    free(next);
}

/* latency: time a chain */
typedef void Follow(uint64_t *, uint64_t, int, int);

struct Step { double cycles, ns, slowest; };    /* of one load */

static struct Step follow(Follow *kernel, const void *start, size_t warm,
                          size_t steps)
{
    struct Sample cycles = {}, ns = {};
    uint64_t h[3] = { 0, 0, (uint64_t)start };
    for (int r = 0; r < RUNS; r++) {    /* from where the last run ended */
        kernel<<<1, 1>>>(took, h[2], (int)warm, (int)steps);
        CUDA_OK(cudaGetLastError());
        CUDA_OK(cudaMemcpy(h, took, sizeof h, cudaMemcpyDeviceToHost));
        sample_add(&cycles, (double)h[0] / (double)steps);
        sample_add(&ns, (double)h[1] / (double)steps);
    }
    struct Step s = { median(&cycles), median(&ns), slowest(&cycles) };
    return s;
}

static void put(const char *name, struct Step s)
{
    printf("%-28s %8.1f cycles %9.1f ns   slowest run %8.1f\n", name,
           s.cycles, s.ns, s.slowest);
    number_put(&numbers, "cycles", s.cycles, "h200.%s.cycles", name);
    number_put(&numbers, "ns", s.ns, "h200.%s.ns", name);
}

/* latency: the chip's own levels */
static void on_chip(void)
{
    uint32_t next[1024], *d_next;
    chase_cycle(next, 1024, 1);
    CUDA_OK(cudaMalloc(&d_next, sizeof next));
    CUDA_OK(cudaMemcpy(d_next, next, sizeof next, cudaMemcpyHostToDevice));
    printf("clock %.3f GHz\n", gpu_ghz());
    number_put(&numbers, "GHz", gpu_ghz(), "h200.clock");
    put("fma", follow(fma_chain, NULL, 1024, 65536));
    put("shared", follow(follow_shared, d_next, 1024, 65536));
    CUDA_OK(cudaFree(d_next));
}

/* latency: the sweep */
/* Four sizes an octave as far as the caches matter, then one. */
static size_t next_size(size_t kib)
{
    size_t octave = 4;
    while (2 * octave <= kib)
        octave *= 2;
    return octave < 128 << 10 ? kib + octave / 4 : 2 * kib;
}

static void sweep(void)
{
    const size_t most = (size_t)2 << 30;
    char *block, name[40];
    CUDA_OK(cudaMalloc(&block, most));
    CUDA_OK(cudaMemset(block, 1, most));
    for (size_t kib = 4; kib << 10 <= most; kib = next_size(kib)) {
        size_t n = (kib << 10) / LINE;
        size_t warm = n <= 1 << 20 ? n : 1 << 15;
        size_t steps = n < 4096 ? 4096 : n < 1 << 16 ? n : 1 << 16;
        link_lines(block, n, LINE);
        snprintf(name, sizeof name, "chase.%zu", kib);
        put(name, follow(follow_cached, block, warm, steps));
        if (kib == 16)      /* what L1 would hold, without it */
            put("l2", follow(follow_l2, block, warm, steps));
    }
    CUDA_OK(cudaFree(block));
}

/* latency: pages */
static void pages(void)
{
    const size_t page = 2 << 20, most = 61440;      /* 120 GiB */
    char *block, name[40];
    CUDA_OK(cudaMalloc(&block, most * page));
    for (size_t n = 16; n <= most; n = n < 32768 ? 2 * n : n + 28672) {
        link_lines(block, n, page);
        snprintf(name, sizeof name, "pages.%zu", n);
        put(name, follow(follow_l2, block, n, n < 4096 ? 4096 : n));
    }
    CUDA_OK(cudaFree(block));
}

/* latency: near and far */
/* The middle between the means of the smaller and of the larger half of n
 * values that lie in two groups: Lloyd's algorithm with two centres. */
static double two_groups(const uint32_t *x, size_t n, double centre[2])
{
    double at = 0;
    for (size_t i = 0; i < n; i++)
        at += x[i] / (double)n;
    for (int round = 0; round < 50; round++) {
        double sum[2] = { 0, 0 }, count[2] = { 0, 0 };
        for (size_t i = 0; i < n; i++) {
            sum[x[i] > at] += x[i];
            count[x[i] > at]++;
        }
        for (int g = 0; g < 2; g++)
            centre[g] = sum[g] / fmax(1, count[g]);
        at = (centre[0] + centre[1]) / 2;
    }
    return at;
}

/* latency: how alike two multiprocessors see the lines */
static void report_lines(const uint32_t *h, size_t blocks, const char *who)
{
    double centre[2], other[2], lowest = 1;
    double middle = two_groups(h, LINES, centre);
    size_t near_lines = 0, bins[64] = { 0 };
    for (size_t i = 0; i < LINES; i++) {
        near_lines += h[i] <= middle;
        bins[h[i] / STEPS_EACH / 8 < 63 ? h[i] / STEPS_EACH / 8 : 63]++;
    }
    for (size_t b = 1; b < blocks; b++) {
        const uint32_t *x = h + b * LINES;
        double m = two_groups(x, LINES, other), same = 0;
        for (size_t i = 0; i < LINES; i++)
            same += (x[i] <= m) == (h[i] <= middle);
        lowest = fmin(lowest, same / LINES);
        number_put(&numbers, "", same / LINES, "h200.l2.alike.%zu", b);
    }
    printf("L2, %s: near %.1f cycles, far %.1f, near share %.3f, lowest "
           "agreement %.3f\n", who, centre[0] / STEPS_EACH,
           centre[1] / STEPS_EACH, near_lines / (double)LINES, lowest);
    number_put(&numbers, "cycles", centre[0] / STEPS_EACH,
               "h200.l2.%s.near", who);
    number_put(&numbers, "cycles", centre[1] / STEPS_EACH,
               "h200.l2.%s.far", who);
    number_put(&numbers, "", near_lines / (double)LINES,
               "h200.l2.%s.share", who);
    number_put(&numbers, "", lowest, "h200.l2.%s.lowest", who);
    for (int b = 0; b < 64; b++)
        if (bins[b])
            number_put(&numbers, "lines", (double)bins[b],
                       "h200.l2.%s.hist.%d", who, 8 * b + 4);
}

static void near_and_far(void)
{
    struct cudaDeviceProp prop;
    CUDA_OK(cudaGetDeviceProperties(&prop, 0));
    size_t blocks = (size_t)prop.multiProcessorCount;
    size_t bytes = blocks * LINES * sizeof(uint32_t);
    uint32_t *h = (uint32_t *)malloc(bytes), *each;
    char *block;
    CUDA_OK(cudaMalloc(&each, bytes));
    CUDA_OK(cudaMalloc(&block, (size_t)32 << 20));
    each_line<<<1, 1>>>(each, block, true);
    CUDA_OK(cudaGetLastError());
    for (size_t n = 1; n <= blocks; n += blocks - 1) {  /* one, then all */
        each_line<<<(unsigned)n, 1>>>(each, block, false);
        CUDA_OK(cudaGetLastError());
        CUDA_OK(cudaMemcpy(h, each, bytes, cudaMemcpyDeviceToHost));
        report_lines(h, n, n > 1 ? "all" : "one");
    }
    CUDA_OK(cudaFree(block));
    CUDA_OK(cudaFree(each));
    free(h);
}

/* latency: the host's memory */
static void host_memory(void)
{
    const size_t sizes[] = { 64 << 10, 64 << 20 };
    for (size_t k = 0; k < 2; k++) {
        size_t n = sizes[k] / LINE;
        uint32_t *next = (uint32_t *)malloc(n * sizeof *next);
        char *block, name[40];
        CUDA_OK(cudaMallocHost(&block, sizes[k]));
        chase_cycle(next, n, n);
        for (size_t i = 0; i < n; i++)
            *(uint64_t *)(block + i * LINE)
                = (uint64_t)(block + next[i] * (size_t)LINE);
        snprintf(name, sizeof name, "host.%zu", sizes[k] >> 10);
        put(name, follow(follow_l2, block, 512, 4096));
        CUDA_OK(cudaFreeHost(block));
        free(next);
    }
}

int main(int argc, char **argv)
{
    lab_open(argc, argv, "Time single loads from each level of memory.");
    CUDA_OK(cudaMalloc(&took, 3 * sizeof *took));
    on_chip();
    sweep();
    near_and_far();
    pages();
    host_memory();
    CUDA_OK(cudaFree(took));
    lab_close();
    return 0;
}
