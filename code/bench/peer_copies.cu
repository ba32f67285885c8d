/* Tangled from chapters/workshop/ranks.nw, "Copies between two GPUs".  Edit it there. */

/* peer-copies: bytes and latency of the link between two GPUs. */
#include "bench/cuda_bench.cuh"

#include <stdlib.h>

enum { RUNS = 11, THREADS = 512, LOADS = 4 };
#define MOST ((size_t)256 << 20)

/* peer-copies: two GPUs that see each other's memory */
static struct Side { char *from, *to; cudaStream_t stream; } side[2];

static void open_pair(void)
{
    int n = 0, ok = 0;
    CUDA_OK(cudaGetDeviceCount(&n));
    if (n < 2)
        fail("there is %d GPU; this needs two", n);
    CUDA_OK(cudaDeviceCanAccessPeer(&ok, 0, 1));
    if (!ok)
        fail("GPU 0 cannot access the memory of GPU 1");
    for (int i = 1; i >= 0; i--) {              /* GPU 0 stays current */
        CUDA_OK(cudaSetDevice(i));
        CUDA_OK(cudaDeviceEnablePeerAccess(1 - i, 0));
        CUDA_OK(cudaStreamCreate(&side[i].stream));
        side[i].from = (char *)random_memory(MOST);
        CUDA_OK(cudaMalloc(&side[i].to, MOST));
        CUDA_OK(cudaDeviceSynchronize());
    }
}

/* peer-copies: copy by a kernel */
/* to[i] = from[i], n multiple of 4; either may be on another GPU. */
__global__ void copy_words(uint4 *to, const uint4 *from, size_t n)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += step * LOADS) {
        uint4 word[LOADS];
        for (int k = 0; k < LOADS; k++)
            if (i + k * step < n)
                word[k] = from[i + k * step];
        for (int k = 0; k < LOADS; k++)
            if (i + k * step < n)
                to[i + k * step] = word[k];
    }
}

/* peer-copies: look at what was copied */
__global__ void differ(const char *a, const char *b, size_t n, int *count)
{
    const size_t step = (size_t)gridDim.x * blockDim.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += step)
        if (a[i] != b[i])
            atomicAdd(count, 1);
}

static void expect_equal(const char *to, size_t bytes)
{
    int *count, n;
    CUDA_OK(cudaMalloc(&count, sizeof n));
    CUDA_OK(cudaMemset(count, 0, sizeof n));
    differ<<<1024, 256>>>(to, side[0].from, bytes, count);
    CUDA_OK(cudaMemcpy(&n, count, sizeof n, cudaMemcpyDeviceToHost));
    CUDA_OK(cudaFree(count));
    if (n)
        fail("%d of %zu bytes of a copy are wrong", n, bytes);
}

/* peer-copies: time one direction */
enum Way { ENGINE, PULL, PUSH, WAYS };
static const char *const way_name[] = { "engine", "pull", "push" };

struct Copy { enum Way way; size_t bytes; int blocks; };

static char *copy_to(const struct Copy *c)
{
    return c->way == PULL ? side[0].to : side[1].to;
}

static void start_copy(void *job)
{
    const struct Copy *c = (const struct Copy *)job;
    char *to = copy_to(c);
    const char *from = c->way == PULL ? side[1].from : side[0].from;
    if (c->way == ENGINE)
        CUDA_OK(cudaMemcpyPeerAsync(to, 1, from, 0, c->bytes, 0));
    else
        copy_words<<<c->blocks, THREADS>>>((uint4 *)to,
            (const uint4 *)from, c->bytes / sizeof(uint4));
    CUDA_OK(cudaGetLastError());
}

/* Seconds; nothing is timed that is wrong. */
static double time_copy(struct Copy c)
{
    CUDA_OK(cudaMemset(copy_to(&c), 0, c.bytes));
    start_copy(&c);
    expect_equal(copy_to(&c), c.bytes);
    const struct Sample t = gpu_time(start_copy, &c, RUNS, false);
    return median(&t);
}

/* peer-copies: time both directions */
static double time_both(size_t bytes)
{
    struct Sample t = {};
    for (int i = 0; i < 2; i++)
        CUDA_OK(cudaMemset(side[i].to, 0, bytes));
    CUDA_OK(cudaDeviceSynchronize());
    for (int r = -2; r < RUNS; r++) {
        const double start = now_s();
        for (int i = 0; i < 2; i++)
            CUDA_OK(cudaMemcpyPeerAsync(side[1 - i].to, 1 - i,
                                        side[i].from, i, bytes,
                                        side[i].stream));
        for (int i = 0; i < 2; i++)
            CUDA_OK(cudaStreamSynchronize(side[i].stream));
        if (r >= 0)
            sample_add(&t, now_s() - start);
    }
    for (int i = 0; i < 2; i++)
        expect_equal(side[i].to, bytes);
    return median(&t);
}

/* peer-copies: follow a chain of addresses */
enum { HOPS = 2000, LINE = 128 };

__global__ void follow(const uint32_t *at, uint32_t i, int hops,
                       uint64_t *took, uint32_t *end)
{
    const uint64_t start = clock64();
    for (int k = 0; k < hops; k++)
        i = __ldcv(&at[i]);             /* from memory, not from L1 */
    *took = clock64() - start;
    *end = i;
}

/* Nanoseconds of one load, from the memory of that GPU. */
static double load_ns(int gpu, double ghz)
{
    const uint32_t words = LINE / 4, lines = MOST / LINE;
    uint32_t *host = (uint32_t *)calloc(MOST / 4, 4), *end;
    uint64_t *took, cycles;
    if (!host)
        fail("no memory for %zu bytes", MOST);
    for (uint32_t l = 0; l < lines; l++)        /* a full cycle */
        host[l * words] = (uint32_t)((l * 1664525u + 1013904223u) % lines)
                        * words;
    CUDA_OK(cudaMemcpy(side[gpu].to, host, MOST, cudaMemcpyDefault));
    CUDA_OK(cudaMalloc(&took, sizeof cycles));
    CUDA_OK(cudaMalloc(&end, sizeof *end));
    follow<<<1, 1>>>((const uint32_t *)side[gpu].to, 0, HOPS, took, end);
    CUDA_OK(cudaMemcpy(&cycles, took, sizeof cycles, cudaMemcpyDefault));
    CUDA_OK(cudaFree(took));
    CUDA_OK(cudaFree(end));
    free(host);
    return (double)cycles / HOPS / ghz;
}

static void latency(void)
{
    const double ghz = gpu_ghz();
    for (int gpu = 0; gpu < 2; gpu++) {
        const double ns = load_ns(gpu, ghz);
        printf("a load from %s memory %.0f ns\n", gpu ? "the other's"
                                                     : "its own", ns);
        number_put(&numbers, "ns", ns, "peer.latency.%s",
                   gpu ? "other" : "own");
    }
}

/* peer-copies: by size and by number of blocks */
static void put(double seconds, size_t bytes, const char *name, size_t at)
{
    const double gbs = (double)bytes / seconds / 1e9;
    printf("%-8s %8zu %10.1f us %8.1f GB/s\n", name, at, 1e6 * seconds,
           gbs);
    number_put(&numbers, "us", 1e6 * seconds, "peer.%s.%zu.us", name, at);
    number_put(&numbers, "GB/s", gbs, "peer.%s.%zu.gbs", name, at);
}

static void by_size(void)
{
    for (size_t bytes = 16 << 10; bytes <= MOST; bytes *= 4) {
        for (int way = 0; way < WAYS; way++) {
            const struct Copy c = { (enum Way)way, bytes, 264 };
            put(time_copy(c), bytes, way_name[way], bytes >> 10);
        }
        put(time_both(bytes), bytes, "both", bytes >> 10);
    }
}

static void by_blocks(void)
{
    static const int blocks[] = { 1, 2, 4, 8, 16, 24, 32, 64, 132 };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        for (int way = PULL; way <= PUSH; way++) {
            const struct Copy c = { (enum Way)way, MOST, blocks[i] };
            char name[32];
            snprintf(name, sizeof name, "%s.blocks", way_name[way]);
            put(time_copy(c), MOST, name, (size_t)blocks[i]);
        }
}

int main(int argc, char **argv)
{
    lab_open(argc, argv, "Measure the link between two GPUs.");
    open_pair();
    by_size();
    by_blocks();
    latency();
    lab_close();
    return 0;
}
