/* Tangled from chapters/gpt2/operators-on-the-gpu.nw, "One contract, two bodies".  Edit it there. */

#include <stdlib.h>
#include <string.h>
#ifdef __NVCC__
#include <nvtx3/nvToolsExt.h>
#endif
#include "backend/backend.h"
#include "backend/profile.h"
#include "ops/kernels/common.cuh"

cudaStream_t backend_stream;

/* memory of the GPU */
void *backend_alloc(size_t bytes, const char *what)
{
    void *p;
    size_t left = 0, all = 0;
    cudaError_t r = cudaMalloc(&p, bytes ? bytes : 1);
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

void backend_free(void *p)
{
    CUDA_OK(cudaFree(p));
}

void backend_zero(void *p, size_t bytes)
{
    if (bytes)
        CUDA_OK(cudaMemsetAsync(p, 0, bytes, backend_stream));
}

void backend_copy(void *to, const void *from, size_t bytes)
{
    if (to != from && bytes)
        CUDA_OK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice,
                                backend_stream));
}

/* copies to and from the GPU */
void backend_put(void *to, const void *host, size_t bytes)
{
    CUDA_OK(cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice,
                            backend_stream));
    CUDA_OK(cudaStreamSynchronize(backend_stream));
}

void backend_get(void *host, const void *from, size_t bytes)
{
    CUDA_OK(cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost,
                            backend_stream));
    CUDA_OK(cudaStreamSynchronize(backend_stream));
}

void *backend_borrow_blank(void *p, size_t bytes)
{
    void *host = malloc(bytes ? bytes : 1);
    if (!host)
        fail("no memory for a copy of %.1f MB from the GPU",
             (double)bytes / 1e6);
    (void)p;
    return host;
}

void *backend_borrow(const void *p, size_t bytes)
{
    void *host = backend_borrow_blank(NULL, bytes);
    backend_get(host, p, bytes);
    return host;
}

void backend_return(void *p, void *host, size_t bytes, bool changed)
{
    if (changed)
        backend_put(p, host, bytes);
    free(host);
}

/* memory for one operator at a time */
enum { OLD = 64 };
static void *scratch[OLD];              /* the last one is in use */
static size_t scratch_bytes;
static int scratches;

static void scratch_free(void)
{
    while (scratches > 0)
        cudaFree(scratch[--scratches]); /* at exit: nobody left to tell */
}

void *backend_scratch(size_t bytes)
{
    if (bytes > scratch_bytes) {
        if (scratches == 0)
            atexit(scratch_free);
        scratch_bytes = bytes > 2 * scratch_bytes ? bytes
                                                  : 2 * scratch_bytes;
        scratch[scratches++] = backend_alloc(scratch_bytes,
                                             "an operator's partial sums");
    }
    return scratch[scratches - 1];
}

/* copies that nobody waits for */
static cudaEvent_t sent;

void *backend_host_alloc(size_t bytes, const char *what)
{
    void *p;
    if (cudaMallocHost(&p, bytes ? bytes : 1) != cudaSuccess)
        fail("no pinned memory for %s: %.1f MB asked for", what,
             (double)bytes / 1e6);
    return p;
}

void backend_host_free(void *host)
{
    if (host)
        CUDA_OK(cudaFreeHost(host));
}

void backend_put_async(void *to, const void *host, size_t bytes)
{
    if (!sent)
        CUDA_OK(cudaEventCreateWithFlags(&sent, cudaEventDisableTiming));
    CUDA_OK(cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice,
                            backend_stream));
    CUDA_OK(cudaEventRecord(sent, backend_stream));
}

void backend_put_wait(void)
{
    if (sent)
        CUDA_OK(cudaEventSynchronize(sent));
}

void backend_get_async(void *host, const void *from, size_t bytes)
{
    CUDA_OK(cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost,
                            backend_stream));
}

void backend_wait(void)
{
    CUDA_OK(cudaStreamSynchronize(backend_stream));
}

bool backend_memory(size_t *left, size_t *all)
{
    CUDA_OK(cudaMemGetInfo(left, all));
    return true;
}

const char *backend_kind(void)
{
#ifdef __NVCC__
    return "cuda";
#else
    return "simt";
#endif
}

/* name the work for a profiler */
static bool profiling, in_range;
static struct Mark { const char *what; cudaEvent_t at; } *mark;
static int marks, mark_room;

static void keep_mark(const char *what)
{
    if (marks == mark_room) {
        mark_room = mark_room ? 2 * mark_room : 1024;
        mark = (struct Mark *)realloc(mark, mark_room * sizeof *mark);
        if (!mark)
            fail("no memory for %d marks of the profile", mark_room);
        for (int i = marks; i < mark_room; i++)
            CUDA_OK(cudaEventCreate(&mark[i].at));
    }
    mark[marks].what = what;
    CUDA_OK(cudaEventRecord(mark[marks++].at, backend_stream));
}

void profile_range(const char *what)
{
#ifdef __NVCC__
    if (in_range)
        nvtxRangePop();
    if (what)
        nvtxRangePushA(what);
#endif
    in_range = what != NULL;
    if (profiling)
        keep_mark(what);
}

void profile_enable(bool on)
{
    profiling = on;
}

bool profile_enabled(void)
{
    return profiling;
}

void profile_print(FILE *out)
{
    profile_range(NULL);
    backend_wait();
    for (int i = 0; i + 1 < marks; i++) {
        float ms;
        if (!mark[i].what)
            continue;
        CUDA_OK(cudaEventElapsedTime(&ms, mark[i].at, mark[i + 1].at));
        profile_add(mark[i].what, ms / 1e3);
    }
    marks = 0;
    profile_rows_print(out);
}

/* the name of the GPU */
const char *backend_name(void)
{
    return cuda_name();
}
