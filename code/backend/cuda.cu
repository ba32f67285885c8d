/* Tangled from chapters/workshop/timing-operators.nw, "The backend".  Edit it there. */

#include <stdlib.h>
#ifdef __NVCC__
#include <nvtx3/nvToolsExt.h>
#endif
#include "backend/backend.h"
#include "backend/cuda_name.h"
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
    const struct Gpu *g = gpu();
    return g ? g->stream : 0;           /* NULL where there is no GPU    */
}

/* memory of the GPU */
static void *gpu_alloc(struct Backend *b, size_t bytes, const char *what)
{
    void *p = NULL;
    size_t left = 0, all = 0;
    cudaError_t r = cudaMalloc(&p, bytes ? bytes : 1);
    (void)b;
    if (r == cudaErrorMemoryAllocation) {
        /* say what was asked for, and what is left */
        cudaMemGetInfo(&left, &all);
        backend_failed("no memory on the GPU for %s: %.1f MB asked for, %.1f of "
                       "%.1f MB left; use a smaller batch, a shorter sequence or a "
                       "smaller model", what, (double)bytes / 1e6,
                       (double)left / 1e6, (double)all / 1e6);
    }
    return cuda_try(r, "cudaMalloc", __FILE__, __LINE__) ? p : NULL;
}

static void gpu_free(struct Backend *b, void *p)
{
    (void)b;
    CUDA_TRY(cudaFree(p));
}

static void gpu_zero(struct Backend *b, void *p, size_t bytes)
{
    if (bytes)
        CUDA_TRY(cudaMemsetAsync(p, 0, bytes, gpu_of(b)->stream));
}

static void gpu_copy(struct Backend *b, void *to, const void *from,
                     size_t bytes)
{
    if (to != from && bytes)
        CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice,
                                 gpu_of(b)->stream));
}

/* copies to and from the GPU */
static void gpu_put(struct Backend *b, void *to, const void *host,
                    size_t bytes)
{
    CUDA_TRY(cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice,
                             gpu_of(b)->stream));
    CUDA_TRY(cudaStreamSynchronize(gpu_of(b)->stream));
}

static void gpu_get(struct Backend *b, void *host, const void *from,
                    size_t bytes)
{
    CUDA_TRY(cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost,
                             gpu_of(b)->stream));
    CUDA_TRY(cudaStreamSynchronize(gpu_of(b)->stream));
}

/* lend the host a copy of the GPU's memory */
static void *gpu_lend(struct Backend *b, const void *p, size_t bytes,
                      bool blank)
{
    void *host = malloc(bytes ? bytes : 1);
    if (!host)
        backend_failed("no memory for a copy of %.1f MB from the GPU",
                       (double)bytes / 1e6);
    else if (!blank)
        gpu_get(b, host, p, bytes);
    if (!b->failed)
        return host;
    free(host);
    return NULL;
}

static void gpu_take_back(struct Backend *b, void *p, void *host,
                          size_t bytes, bool changed)
{
    if (host && changed && !b->failed)
        gpu_put(b, p, host, bytes);
    free(host);
}

/* memory for one operator at a time */
void *backend_scratch(size_t bytes)
{
    struct Gpu *g = gpu();
    if (!backend_ok(NULL))
        return NULL;
    if (bytes > g->scratch_bytes) {
        const size_t twice = 2 * g->scratch_bytes;
        const size_t room = bytes > twice ? bytes : twice;
        void *p = backend_alloc(room, "an operator's partial sums");
        if (!p)
            return NULL;
        g->scratch[g->scratches++] = p;
        g->scratch_bytes = room;
    }
    return g->scratch[g->scratches - 1];
}

/* asynchronous copies of the GPU */
static void *gpu_host_alloc(struct Backend *b, size_t bytes,
                            const char *what)
{
    void *p = NULL;
    (void)b;
    if (cudaMallocHost(&p, bytes ? bytes : 1) == cudaSuccess)
        return p;
    cudaGetLastError();
    backend_failed("no pinned memory for %s: %.1f MB asked for", what,
                   (double)bytes / 1e6);
    return NULL;
}

static void gpu_host_free(struct Backend *b, void *host)
{
    (void)b;
    if (host)
        CUDA_TRY(cudaFreeHost(host));
}

static void gpu_put_async(struct Backend *b, void *to, const void *host,
                          size_t bytes)
{
    struct Gpu *g = gpu_of(b);
    if (!g->sent)
        CUDA_TRY(cudaEventCreateWithFlags(&g->sent,
                                          cudaEventDisableTiming));
    CUDA_TRY(cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice,
                             g->stream));
    CUDA_TRY(cudaEventRecord(g->sent, g->stream));
}

static void gpu_put_wait(struct Backend *b)
{
    if (gpu_of(b)->sent)
        CUDA_TRY(cudaEventSynchronize(gpu_of(b)->sent));
}

static void gpu_get_async(struct Backend *b, void *host, const void *from,
                          size_t bytes)
{
    CUDA_TRY(cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost,
                             gpu_of(b)->stream));
}

static void gpu_wait(struct Backend *b)
{
    CUDA_TRY(cudaStreamSynchronize(gpu_of(b)->stream));
}

static bool gpu_memory(struct Backend *b, size_t *left, size_t *all)
{
    (void)b;
    return CUDA_TRY(cudaMemGetInfo(left, all));
}

/* a second stream */
static void second_stream(struct Gpu *g)
{
    if (g->beside)
        return;
    CUDA_TRY(cudaStreamCreateWithFlags(&g->beside, cudaStreamNonBlocking));
    CUDA_TRY(cudaEventCreateWithFlags(&g->begun, cudaEventDisableTiming));
    CUDA_TRY(cudaEventCreateWithFlags(&g->done, cudaEventDisableTiming));
}

static void gpu_beside(struct Backend *b, int what)
{
    struct Gpu *g = gpu_of(b);
    second_stream(g);
    if (what == BESIDE_BEGIN) {
        CUDA_TRY(cudaEventRecord(g->begun, g->main));
        CUDA_TRY(cudaStreamWaitEvent(g->beside, g->begun, 0));
        g->stream = g->beside;
    } else if (what == BESIDE_END) {
        CUDA_TRY(cudaEventRecord(g->done, g->beside));
        g->stream = g->main;
    } else {
        CUDA_TRY(cudaStreamWaitEvent(g->main, g->done, 0));
    }
}

/* record a step and run it again */
#ifdef __NVCC__
static bool own_stream(struct Gpu *g)
{
    g->own = CUDA_TRY(cudaDeviceSynchronize())
          && CUDA_TRY(cudaStreamCreateWithFlags(&g->main,
                                                cudaStreamNonBlocking));
    g->stream = g->main;
    return g->own;
}

static void *gpu_record(struct Backend *b, void (*work)(void *arg),
                        void *arg)
{
    struct Gpu *g = gpu_of(b);
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    if (!g->own && !own_stream(g))
        return NULL;
    if (!CUDA_TRY(cudaStreamBeginCapture(g->main,
                                         cudaStreamCaptureModeThreadLocal)))
        return NULL;
    work(arg);
    if (!CUDA_TRY(cudaStreamEndCapture(g->main, &graph)))
        return NULL;
    if (!b->failed)
        CUDA_TRY(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_TRY(cudaGraphDestroy(graph));
    return exec;
}

static void gpu_replay(struct Backend *b, void *recording)
{
    CUDA_TRY(cudaGraphLaunch((cudaGraphExec_t)recording, gpu_of(b)->main));
}

static void gpu_forget(struct Backend *b, void *recording)
{
    (void)b;
    CUDA_TRY(cudaGraphExecDestroy((cudaGraphExec_t)recording));
}
#else
#define gpu_record NULL
#define gpu_replay NULL
#define gpu_forget NULL
#endif

/* name the work for a profiler */
static bool more_ranges(struct Gpu *g)
{
    const int most = g->most_ranges ? 2 * g->most_ranges : 1024;
    void *more = realloc(g->range, most * sizeof *g->range);
    if (!more) {
        backend_failed("no memory for %d events of the profile", most);
        return false;
    }
    g->range = (struct Gpu::RangeStart *)more;
    while (g->most_ranges < most
           && CUDA_TRY(cudaEventCreate(&g->range[g->most_ranges].at)))
        g->most_ranges++;
    return g->most_ranges == most;
}

static void keep_start(struct Gpu *g, const char *what)
{
    if (g->ranges == g->most_ranges && !more_ranges(g))
        return;
    g->range[g->ranges].what = what;
    CUDA_TRY(cudaEventRecord(g->range[g->ranges++].at, g->stream));
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
    if (b->profile.on && !b->failed)
        keep_start(g, what);
}

static void gpu_collect(struct Backend *b)
{
    struct Gpu *g = gpu_of(b);
    for (int i = 0; i + 1 < g->ranges; i++) {
        float ms;
        if (!g->range[i].what)
            continue;
        if (!CUDA_TRY(cudaEventElapsedTime(&ms, g->range[i].at,
                                           g->range[i + 1].at)))
            break;
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
    CUDA_TRY(cudaSetDevice(b->device));
}

static const char *gpu_name(struct Backend *b)
{
    return cuda_name(b->device);
}

static void gpu_close(struct Backend *b)
{
    struct Gpu *g = gpu_of(b);
    CUDA_TRY(cudaDeviceSynchronize());
    while (g->scratches > 0)
        CUDA_TRY(cudaFree(g->scratch[--g->scratches]));
    for (int i = 0; i < g->most_ranges; i++)
        CUDA_TRY(cudaEventDestroy(g->range[i].at));
    free(g->range);
    if (g->sent)
        CUDA_TRY(cudaEventDestroy(g->sent));
    if (g->beside) {
        CUDA_TRY(cudaStreamDestroy(g->beside));
        CUDA_TRY(cudaEventDestroy(g->begun));
        CUDA_TRY(cudaEventDestroy(g->done));
    }
    if (g->own)
        CUDA_TRY(cudaStreamDestroy(g->main));
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
