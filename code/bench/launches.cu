/* Tangled from chapters/workshop/timing-a-step.nw, "launches".  Edit it there. */

/* launches: what it costs the host to launch a kernel, when that decides
 * how long a program takes, and what different clocks say about it. */
#include "bench/cuda_bench.cuh"

#include <nvtx3/nvToolsExt.h>

enum { CHAIN = 200, RUNS = 11 };

static double ghz;

/* launches: keep a warp busy for a number of cycles */
/* One warp that does nothing for `cycles` cycles. */
__global__ void busy(int64_t cycles)
{
    int64_t start = clock64();
    while (clock64() - start < cycles) {
    }
}

static int64_t cycles_of(double us)
{
    return (int64_t)(us * 1e3 * ghz);
}

/* launches: print a row and keep it */
static void put(double value, const char *unit, const char *name,
                double at)
{
    char text[60];
    snprintf(text, sizeof text, at < 0 ? "%s" : "%s.%g", name, at);
    printf("%-24s %10.4g %s\n", text, value, unit);
    number_put(&numbers, unit, value, "launches.%s", text);
}

/* launches: launch a chain of kernels */
enum { PLAIN, EVENTS, RANGES };

static cudaEvent_t event[CHAIN + 1];

static void chain(cudaStream_t s, double us, int marks)
{
    for (int i = 0; i < CHAIN; i++) {
        if (marks == EVENTS)
            CUDA_OK(cudaEventRecord(event[i], s));
        if (marks == RANGES)
            nvtxRangePushA("busy");
        busy<<<1, 32, 0, s>>>(cycles_of(us));
        if (marks == RANGES)
            nvtxRangePop();
    }
    CUDA_OK(cudaGetLastError());
}

/* launches: record the chain as a graph */
static cudaGraphExec_t graph_of(cudaStream_t s, double us,
    void (*launch)(cudaStream_t s, double us, int marks))
{
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CUDA_OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    launch(s, us, PLAIN);
    CUDA_OK(cudaStreamEndCapture(s, &graph));
    CUDA_OK(cudaGraphInstantiate(&ready, graph, 0));
    CUDA_OK(cudaGraphDestroy(graph));
    return ready;
}

/* launches: time a chain */
/* Until the host has launched all, and until the device has done it. */
struct Times { struct Sample given, done; };

static struct Times time_chain(cudaStream_t s, double us, int marks,
                               cudaGraphExec_t graph)
{
    struct Times t = {};
    for (int r = -3; r < RUNS; r++) {
        /* launches: launch the chain and wait for it */
        CUDA_OK(cudaDeviceSynchronize());
        double start = now_s();
        if (graph)
            CUDA_OK(cudaGraphLaunch(graph, s));
        else
            chain(s, us, marks);
        double given = now_s() - start;
        CUDA_OK(cudaDeviceSynchronize());
        double done = now_s() - start;
        if (r >= 0) {
            sample_add(&t.given, 1e6 * given / CHAIN);
            sample_add(&t.done, 1e6 * done / CHAIN);
        }
    }
    return t;
}

/* launches: time chains of short and long kernels */
static void chains(void)
{
    static const double lengths[] = { 0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6,
                                      8, 12, 16, 24, 32 };
    cudaStream_t s;
    CUDA_OK(cudaStreamCreate(&s));
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        double us = lengths[i];
        struct Times t = time_chain(s, us, PLAIN, NULL);
        put(median(&t.given), "µs", "given", us);
        put(median(&t.done), "µs", "done", us);
        cudaGraphExec_t graph = graph_of(s, us, chain);
        t = time_chain(s, us, PLAIN, graph);
        put(median(&t.given), "µs", "graph-given", us);
        put(median(&t.done), "µs", "graph-done", us);
        CUDA_OK(cudaGraphExecDestroy(graph));
    }
    CUDA_OK(cudaStreamDestroy(s));
}

/* launches: time chains of kernels that are launched early */
/* busy, launched while the kernel in front of it still runs: sm_90. */
__global__ void busy_early(int64_t cycles)
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
#endif
    int64_t start = clock64();
    while (clock64() - start < cycles) {
    }
}

static void launch_early(cudaStream_t s, int64_t cycles)
{
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1), config.blockDim = dim3(32);
    config.stream = s, config.attrs = &early, config.numAttrs = 1;
    CUDA_OK(cudaLaunchKernelEx(&config, busy_early, cycles));
}

static void early_chain(cudaStream_t s, double us, int)
{
    for (int i = 0; i < CHAIN; i++)
        launch_early(s, cycles_of(us));
}

static void early_chains(void)
{
    static const double lengths[] = { 0, 1, 2, 4, 8, 16, 32 };
    cudaStream_t s;
    CUDA_OK(cudaStreamCreate(&s));
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        cudaGraphExec_t graph = graph_of(s, lengths[i], early_chain);
        struct Times t = time_chain(s, lengths[i], PLAIN, graph);
        put(median(&t.done), "µs", "early-done", lengths[i]);
        CUDA_OK(cudaGraphExecDestroy(graph));
    }
    CUDA_OK(cudaStreamDestroy(s));
}

/* launches: time a kernel between two events */
static double event_us(void)
{
    float ms;
    CUDA_OK(cudaEventRecord(event[0], 0));
    busy<<<1, 32>>>(cycles_of(100));
    CUDA_OK(cudaEventRecord(event[1], 0));
    CUDA_OK(cudaEventSynchronize(event[1]));
    CUDA_OK(cudaEventElapsedTime(&ms, event[0], event[1]));
    return 1e3 * ms;
}

/* launches: time a kernel by the other clocks */
/* busy under another name: nothing launches it before it is timed */
__global__ void fresh(int64_t cycles)
{
    int64_t start = clock64();
    while (clock64() - start < cycles) {
    }
}

static void clocks(void)
{
    struct Sample returned = {}, synchronised = {}, events = {};
    for (int i = 0; i <= CHAIN; i++)
        CUDA_OK(cudaEventCreate(&event[i]));
    CUDA_OK(cudaDeviceSynchronize());
    double start = now_s();
    /* launches: time the first launch of a kernel */
    fresh<<<1, 32>>>(cycles_of(100));
    CUDA_OK(cudaDeviceSynchronize());
    put(1e6 * (now_s() - start), "µs", "clock.first", -1);
    for (int r = -3; r < RUNS; r++) {
        start = now_s();
        busy<<<1, 32>>>(cycles_of(100));
        double back = now_s();
        CUDA_OK(cudaDeviceSynchronize());
        double end = now_s();
        if (r >= 0) {
            sample_add(&returned, 1e6 * (back - start));
            sample_add(&synchronised, 1e6 * (end - start));
            sample_add(&events, event_us());
        }
    }
    put(median(&returned), "µs", "clock.returned", -1);
    put(median(&synchronised), "µs", "clock.synchronised", -1);
    put(median(&events), "µs", "clock.events", -1);
}

/* launches: time chains with events and with ranges */
static void marks(void)
{
    static const char *const name[] = { "none", "events", "ranges" };
    enum { MANY = 100000 };
    cudaStream_t s;
    CUDA_OK(cudaStreamCreate(&s));
    for (int kind = PLAIN; kind <= RANGES; kind++) {
        char row[40];
        struct Times t = time_chain(s, 10, kind, NULL);
        snprintf(row, sizeof row, "marks.%s.given", name[kind]);
        put(median(&t.given), "µs", row, -1);
        snprintf(row, sizeof row, "marks.%s.done", name[kind]);
        put(median(&t.done), "µs", row, -1);
    }
    double start = now_s();
    for (int i = 0; i < MANY; i++) {
        nvtxRangePushA("nothing");
        nvtxRangePop();
    }
    put(1e9 * (now_s() - start) / MANY, "ns", "marks.range", -1);
    CUDA_OK(cudaStreamDestroy(s));
}

int main(int argc, char **argv)
{
    lab_open(argc, argv, "Measure the host's share of a chain of kernels.");
    ghz = gpu_ghz();
    clocks();
    chains();
    early_chains();
    marks();
    lab_close();
    return 0;
}
