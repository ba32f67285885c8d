/* Tangled from chapters/workshop/first-programs.nw, "throughput: launches, an addition, warps".  Edit it there. */

/* throughput: when a launch returns, what it costs, how fast vectors are
 * added, and how many warps that takes. */
#include "bench/cuda_bench.cuh"

enum { N = 1 << 26, RUNS = 21 };        /* 268 MB a vector */

/* the kernel: one thread adds one pair */
/* c[i] = a[i] + b[i] for i < n
 *   launch   at least n threads in a grid of one dimension
 *   moves    12 n bytes, 1 FLOP for each 12
 *   ceiling  memory
 */
__global__ void add(float *c, const float *a, const float *b, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

/* the same with a fixed number of threads */
/* Each of `all` threads adds every all-th pair, one at a time. */
__global__ void add_strided(float *c, const float *a, const float *b,
                            size_t n)
{
    size_t all = (size_t)gridDim.x * blockDim.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    #pragma unroll 1
    for (; i < n; i += all)
        c[i] = a[i] + b[i];
}

/* four pairs at a time */
__global__ void add4_strided(float4 *c, const float4 *a, const float4 *b,
                             size_t n4)
{
    size_t all = (size_t)gridDim.x * blockDim.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    #pragma unroll 1
    for (; i < n4; i += all) {
        float4 x = a[i], y = b[i];
        c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    }
}

/* a kernel that does nothing */
__global__ void nothing(void) {}

static float *c, *a, *b;
static int sms;

/* throughput: the jobs */
struct Job { int kind, blocks, threads; };

enum { ADD, STRIDED, STRIDED4, COPY };

static void work(void *job)
{
    const struct Job *j = (const struct Job *)job;
    switch (j->kind) {
    case ADD:
        add<<<N / 256, 256>>>(c, a, b, N);
        break;
    case STRIDED:
        add_strided<<<j->blocks, j->threads>>>(c, a, b, N);
        break;
    case STRIDED4:
        add4_strided<<<j->blocks, j->threads>>>(
            (float4 *)c, (const float4 *)a, (const float4 *)b, N / 4);
        break;
    case COPY:
        CUDA_OK(cudaMemcpyAsync(c, a, sizeof *a * (size_t)N,
                                cudaMemcpyDeviceToDevice, 0));
    }
    CUDA_OK(cudaGetLastError());
}

/* throughput: when does a launch return? */
/* throughput: print a number and keep it */
static void put(const char *name, double value, const char *unit)
{
    printf("%-24s %10.4g %s\n", name, value, unit);
    number_put(&numbers, unit, value, "throughput.%s", name);
}

static void launches(void)
{
    struct Job add_job = { ADD, 0, 0 };
    struct Sample returned = {}, finished = {}, empty = {};
    for (int r = -3; r < RUNS; r++) {
        /* look at the clock around an addition and an empty kernel */
        CUDA_OK(cudaDeviceSynchronize());
        double start = now_s();
        work(&add_job);
        double middle = now_s();
        CUDA_OK(cudaDeviceSynchronize());
        double end = now_s();
        nothing<<<1, 1>>>();
        CUDA_OK(cudaDeviceSynchronize());
        double last = now_s();
        /* keep the three times, if this is no warm-up */
        if (r >= 0) {
            sample_add(&returned, middle - start);
            sample_add(&finished, end - start);
            sample_add(&empty, last - end);
        }
    }
    /* launch many kernels in a row */
    enum { MANY = 1000 };
    double from = now_s();
    for (int i = 0; i < MANY; i++)
        nothing<<<1, 1>>>();
    CUDA_OK(cudaDeviceSynchronize());
    put("launch.row", 1e6 * (now_s() - from) / MANY, "µs");
    put("launch.returns", 1e6 * median(&returned), "µs");
    put("launch.finishes", 1e6 * median(&finished), "µs");
    put("launch.empty", 1e6 * median(&empty), "µs");
}

/* throughput: the addition beside a copy */
static void rate(const char *name, struct Job job, double bytes)
{
    char text[60];
    struct Sample t = gpu_time(work, &job, RUNS, false);
    snprintf(text, sizeof text, "%s.us", name);
    put(text, 1e6 * median(&t), "µs");
    snprintf(text, sizeof text, "%s.spread", name);
    put(text, 1e6 * (slowest(&t) - fastest(&t)), "µs");
    put(name, 1e-9 * bytes * N / median(&t), "GB/s");
}

static void addition(void)
{
    struct Job add_job = { ADD, 0, 0 }, copy_job = { COPY, 0, 0 };
    struct Job wide = { STRIDED4, N / 4 / 256, 256 };
    rate("add", add_job, 12);
    rate("add4", wide, 12);
    rate("copy", copy_job, 8);
}

/* throughput: from one warp on each SM to all */
static void warps(const char *kernel, int kind)
{
    static const int some[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64 };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        int w = some[i], blocks = w > 32 ? 2 : 1;
        char name[40];
        struct Job j = { kind, sms * blocks, 32 * w / blocks };
        struct Sample t = gpu_time(work, &j, 7, false);
        snprintf(name, sizeof name, "%s.%d", kernel, w);
        put(name, 12e-9 * N / median(&t), "GB/s");
    }
}

int main(int argc, char **argv)
{
    lab_open(argc, argv, "Measure launches, an addition, and latency "
                         "hidden by warps.");
    struct cudaDeviceProp p;
    CUDA_OK(cudaGetDeviceProperties(&p, 0));
    sms = p.multiProcessorCount;
    a = (float *)random_memory(sizeof *a * (size_t)N);
    b = (float *)random_memory(sizeof *b * (size_t)N);
    c = (float *)random_memory(sizeof *c * (size_t)N);
    launches();
    addition();
    warps("warps", STRIDED);
    warps("warps4", STRIDED4);
    CUDA_OK(cudaFree(a));
    CUDA_OK(cudaFree(b));
    CUDA_OK(cudaFree(c));
    lab_close();
    return 0;
}
