/* Tangled from chapters/gpt2/operators-on-the-gpu.nw, "One contract, two implementations".  Edit it there. */

#include <stdlib.h>
#ifdef __NVCC__
#include <nvtx3/nvToolsExt.h>
#endif
#include "backend/backend.h"
#include "backend/cuda_stream.cuh"

/* what a GPU's backend keeps */
enum { MOST_SCRATCH = 64 };

struct Gpu {
    cudaStream_t stream, main, beside;  /* stream: where work goes now   */
    bool own;                           /* main is not the default one   */
    cudaEvent_t sent, begun, done;
    void *scratch[MOST_SCRATCH];        /* the last one is in use        */
    size_t scratch_bytes;
    int scratches;
    bool in_range;                      /* of a profiler                 */
    struct RangeStart { const char *what; cudaEvent_t at; } *range;
    int ranges, most_ranges;
};

static struct Gpu *gpu_of(struct Backend *b)
{
    return (struct Gpu *)b->state;
}

static struct Gpu *gpu(void)
{
    return gpu_of(backend_current());
}

cudaStream_t backend_stream(void)
{
    return gpu()->stream;
}

/* memory of the GPU */
static void *gpu_alloc(struct Backend *b, size_t bytes, const char *what)
{
    void *p;
    size_t left = 0, all = 0;
    cudaError_t r = cudaMalloc(&p, bytes ? bytes : 1);
    (void)b;
    if (r == cudaErrorMemoryAllocation) {
        /* say what was asked for, and what is left */
        cudaMemGetInfo(&left, &all);
        fail("no memory on the GPU for %s: %.1f MB asked for, %.1f of %.1f "
             "MB left; use a smaller batch, a shorter sequence or a "
             "smaller model", what, (double)bytes / 1e6,
             (double)left / 1e6, (double)all / 1e6);
    }
    cuda_ok(r, "cudaMalloc", __FILE__, __LINE__);
    return p;
}

static void gpu_free(struct Backend *b, void *p)
{
    (void)b;
    CUDA_OK(cudaFree(p));
}

static void gpu_zero(struct Backend *b, void *p, size_t bytes)
{
    if (bytes)
        CUDA_OK(cudaMemsetAsync(p, 0, bytes, gpu_of(b)->stream));
}

static void gpu_copy(struct Backend *b, void *to, const void *from,
                     size_t bytes)
{
    if (to != from && bytes)
        CUDA_OK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice,
                                gpu_of(b)->stream));
}

/* copies to and from the GPU */
static void gpu_put(struct Backend *b, void *to, const void *host,
                    size_t bytes)
{
    CUDA_OK(cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice,
                            gpu_of(b)->stream));
    CUDA_OK(cudaStreamSynchronize(gpu_of(b)->stream));
}

static void gpu_get(struct Backend *b, void *host, const void *from,
                    size_t bytes)
{
    CUDA_OK(cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost,
                            gpu_of(b)->stream));
    CUDA_OK(cudaStreamSynchronize(gpu_of(b)->stream));
}

static void *gpu_lend(struct Backend *b, const void *p, size_t bytes,
                      bool blank)
{
    void *host = malloc(bytes ? bytes : 1);
    if (!host)
        fail("no memory for a copy of %.1f MB from the GPU",
             (double)bytes / 1e6);
    if (!blank)
        gpu_get(b, host, p, bytes);
    return host;
}

static void gpu_take_back(struct Backend *b, void *p, void *host,
                          size_t bytes, bool changed)
{
    if (changed)
        gpu_put(b, p, host, bytes);
    free(host);
}

/* memory for one operator at a time */
void *backend_scratch(size_t bytes)
{
    struct Gpu *g = gpu();
    if (bytes > g->scratch_bytes) {
        g->scratch_bytes = bytes > 2 * g->scratch_bytes
                         ? bytes : 2 * g->scratch_bytes;
        g->scratch[g->scratches++] = backend_alloc(g->scratch_bytes,
            "an operator's partial sums");
    }
    return g->scratch[g->scratches - 1];
}

/* asynchronous copies of the GPU */
static void *gpu_host_alloc(struct Backend *b, size_t bytes,
                            const char *what)
{
    void *p;
    (void)b;
    if (cudaMallocHost(&p, bytes ? bytes : 1) != cudaSuccess)
        fail("no pinned memory for %s: %.1f MB asked for", what,
             (double)bytes / 1e6);
    return p;
}

static void gpu_host_free(struct Backend *b, void *host)
{
    (void)b;
    if (host)
        CUDA_OK(cudaFreeHost(host));
}

static void gpu_put_async(struct Backend *b, void *to, const void *host,
                          size_t bytes)
{
    struct Gpu *g = gpu_of(b);
    if (!g->sent)
        CUDA_OK(cudaEventCreateWithFlags(&g->sent, cudaEventDisableTiming));
    CUDA_OK(cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice,
                            g->stream));
    CUDA_OK(cudaEventRecord(g->sent, g->stream));
}

static void gpu_put_wait(struct Backend *b)
{
    if (gpu_of(b)->sent)
        CUDA_OK(cudaEventSynchronize(gpu_of(b)->sent));
}

static void gpu_get_async(struct Backend *b, void *host, const void *from,
                          size_t bytes)
{
    CUDA_OK(cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost,
                            gpu_of(b)->stream));
}

static void gpu_wait(struct Backend *b)
{
    CUDA_OK(cudaStreamSynchronize(gpu_of(b)->stream));
}

static bool gpu_memory(struct Backend *b, size_t *left, size_t *all)
{
    (void)b;
    CUDA_OK(cudaMemGetInfo(left, all));
    return true;
}

/* a second stream */
static void second_stream(struct Gpu *g)
{
    if (g->beside)
        return;
    CUDA_OK(cudaStreamCreateWithFlags(&g->beside, cudaStreamNonBlocking));
    CUDA_OK(cudaEventCreateWithFlags(&g->begun, cudaEventDisableTiming));
    CUDA_OK(cudaEventCreateWithFlags(&g->done, cudaEventDisableTiming));
}

static void gpu_beside(struct Backend *b, int what)
{
    struct Gpu *g = gpu_of(b);
    second_stream(g);
    if (what == BESIDE_BEGIN) {
        CUDA_OK(cudaEventRecord(g->begun, g->main));
        CUDA_OK(cudaStreamWaitEvent(g->beside, g->begun, 0));
        g->stream = g->beside;
    } else if (what == BESIDE_END) {
        CUDA_OK(cudaEventRecord(g->done, g->beside));
        g->stream = g->main;
    } else {
        CUDA_OK(cudaStreamWaitEvent(g->main, g->done, 0));
    }
}

/* record a step and run it again */
#ifdef __NVCC__
static void *gpu_record(struct Backend *b, void (*work)(void *arg),
                        void *arg)
{
    struct Gpu *g = gpu_of(b);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    if (!g->own) {
        CUDA_OK(cudaDeviceSynchronize());
        CUDA_OK(cudaStreamCreateWithFlags(&g->main, cudaStreamNonBlocking));
        g->stream = g->main;
        g->own = true;
    }
    CUDA_OK(cudaStreamBeginCapture(g->main,
                                   cudaStreamCaptureModeThreadLocal));
    work(arg);
    CUDA_OK(cudaStreamEndCapture(g->main, &graph));
    CUDA_OK(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_OK(cudaGraphDestroy(graph));
    return exec;
}

static void gpu_replay(struct Backend *b, void *recording)
{
    CUDA_OK(cudaGraphLaunch((cudaGraphExec_t)recording, gpu_of(b)->main));
}

static void gpu_forget(struct Backend *b, void *recording)
{
    (void)b;
    CUDA_OK(cudaGraphExecDestroy((cudaGraphExec_t)recording));
}
#else
#define gpu_record NULL
#define gpu_replay NULL
#define gpu_forget NULL
#endif

/* name the work for a profiler */
static void keep_start(struct Gpu *g, const char *what)
{
    if (g->ranges == g->most_ranges) {
        g->most_ranges = g->most_ranges ? 2 * g->most_ranges : 1024;
        g->range = (struct Gpu::RangeStart *)realloc(g->range,
            g->most_ranges * sizeof *g->range);
        if (!g->range)
            fail("no memory for %d events of the profile", g->most_ranges);
        for (int i = g->ranges; i < g->most_ranges; i++)
            CUDA_OK(cudaEventCreate(&g->range[i].at));
    }
    g->range[g->ranges].what = what;
    CUDA_OK(cudaEventRecord(g->range[g->ranges++].at, g->stream));
}

static void gpu_range(struct Backend *b, const char *what)
{
    struct Gpu *g = gpu_of(b);
#ifdef __NVCC__
    if (g->in_range)
        nvtxRangePop();
    if (what)
        nvtxRangePushA(what);
#endif
    g->in_range = what != NULL;
    if (b->profile.on)
        keep_start(g, what);
}

static void gpu_collect(struct Backend *b)
{
    struct Gpu *g = gpu_of(b);
    for (int i = 0; i + 1 < g->ranges; i++) {
        float ms;
        if (!g->range[i].what)
            continue;
        CUDA_OK(cudaEventElapsedTime(&ms, g->range[i].at,
                                     g->range[i + 1].at));
        profile_add(&b->profile, g->range[i].what, ms / 1e3);
    }
    g->ranges = 0;
}

/* the row of the GPU */
static bool gpu_open(struct Backend *b, struct Error *e)
{
    int devices = 0;
    const cudaError_t r = cudaGetDeviceCount(&devices);
    if (r != cudaSuccess || !devices)
        return error_set(e, "no GPU: %s", cudaGetErrorString(r));
    if (b->device < 0 || b->device >= devices || b->device >= MOST_DEVICES)
        return error_set(e, "there is no GPU %d: this machine has %d, "
                         "numbered from 0", b->device, devices);
    b->state = calloc(1, sizeof(struct Gpu));
    return b->state || error_set(e, "no memory for a backend");
}

static void gpu_use(struct Backend *b)
{
    CUDA_OK(cudaSetDevice(b->device));
}

static const char *gpu_name(struct Backend *b)
{
    return cuda_name(b->device);
}

static void gpu_close(struct Backend *b)
{
    struct Gpu *g = gpu_of(b);
    CUDA_OK(cudaDeviceSynchronize());
    while (g->scratches > 0)
        CUDA_OK(cudaFree(g->scratch[--g->scratches]));
    for (int i = 0; i < g->most_ranges; i++)
        CUDA_OK(cudaEventDestroy(g->range[i].at));
    free(g->range);
    if (g->sent)
        CUDA_OK(cudaEventDestroy(g->sent));
    if (g->beside) {
        CUDA_OK(cudaStreamDestroy(g->beside));
        CUDA_OK(cudaEventDestroy(g->begun));
        CUDA_OK(cudaEventDestroy(g->done));
    }
    if (g->own)
        CUDA_OK(cudaStreamDestroy(g->main));
    free(g);
}

#ifdef __NVCC__
#define KIND BACKEND_CUDA, "cuda"
#else
#define KIND BACKEND_SIMT, "simt"
#endif
extern "C" const struct BackendCalls gpu_backend = {
    KIND, gpu_open, gpu_close, gpu_use, gpu_alloc, gpu_free, gpu_zero,
    gpu_copy, gpu_put, gpu_get, gpu_lend, gpu_take_back, gpu_host_alloc,
    gpu_host_free, gpu_put_async, gpu_put_wait, gpu_get_async, gpu_wait,
    gpu_beside, gpu_record, gpu_replay, gpu_forget, gpu_memory, gpu_name,
    gpu_range, gpu_collect,
};
