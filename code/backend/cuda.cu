/* Tangled from chapters/gpt2/operators-on-the-gpu.nw, "One contract, two bodies".  Edit it there. */

#include <stdlib.h>
#include <string.h>
#ifdef __NVCC__
#include <nvtx3/nvToolsExt.h>
#endif
#include "backend/backend.h"
#include "backend/profile.h"
#include "ops/kernels/common.cuh"

cudaStream_t machine_stream;

/* memory of the GPU */
void *machine_alloc(size_t bytes, const char *what)
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

void machine_free(void *p)
{
    CUDA_OK(cudaFree(p));
}

void machine_zero(void *p, size_t bytes)
{
    if (bytes)
        CUDA_OK(cudaMemsetAsync(p, 0, bytes, machine_stream));
}

void machine_copy(void *to, const void *from, size_t bytes)
{
    if (to != from && bytes)
        CUDA_OK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice,
                                machine_stream));
}

/* copies to and from the GPU */
void machine_put(void *to, const void *host, size_t bytes)
{
    CUDA_OK(cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice,
                            machine_stream));
    CUDA_OK(cudaStreamSynchronize(machine_stream));
}

void machine_get(void *host, const void *from, size_t bytes)
{
    CUDA_OK(cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost,
                            machine_stream));
    CUDA_OK(cudaStreamSynchronize(machine_stream));
}

void *machine_room(void *p, size_t bytes)
{
    void *host = malloc(bytes ? bytes : 1);
    if (!host)
        fail("no memory for a copy of %.1f MB from the GPU",
             (double)bytes / 1e6);
    (void)p;
    return host;
}

void *machine_borrow(const void *p, size_t bytes)
{
    void *host = machine_room(NULL, bytes);
    machine_get(host, p, bytes);
    return host;
}

void machine_return(void *p, void *host, size_t bytes, bool changed)
{
    if (changed)
        machine_put(p, host, bytes);
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

void *machine_scratch(size_t bytes)
{
    if (bytes > scratch_bytes) {
        if (scratches == 0)
            atexit(scratch_free);
        scratch_bytes = bytes > 2 * scratch_bytes ? bytes
                                                  : 2 * scratch_bytes;
        scratch[scratches++] = machine_alloc(scratch_bytes,
                                             "an operator's partial sums");
    }
    return scratch[scratches - 1];
}

/* copies that nobody waits for */
static cudaEvent_t sent;

void *machine_host(size_t bytes, const char *what)
{
    void *p;
    if (cudaMallocHost(&p, bytes ? bytes : 1) != cudaSuccess)
        fail("no pinned memory for %s: %.1f MB asked for", what,
             (double)bytes / 1e6);
    return p;
}

void machine_unhost(void *host)
{
    if (host)
        CUDA_OK(cudaFreeHost(host));
}

void machine_send(void *to, const void *host, size_t bytes)
{
    if (!sent)
        CUDA_OK(cudaEventCreateWithFlags(&sent, cudaEventDisableTiming));
    CUDA_OK(cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice,
                            machine_stream));
    CUDA_OK(cudaEventRecord(sent, machine_stream));
}

void machine_sent(void)
{
    if (sent)
        CUDA_OK(cudaEventSynchronize(sent));
}

void machine_fetch(void *host, const void *from, size_t bytes)
{
    CUDA_OK(cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost,
                            machine_stream));
}

void machine_wait(void)
{
    CUDA_OK(cudaStreamSynchronize(machine_stream));
}

bool machine_memory(size_t *left, size_t *all)
{
    CUDA_OK(cudaMemGetInfo(left, all));
    return true;
}

const char *machine_kind(void)
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
    CUDA_OK(cudaEventRecord(mark[marks++].at, machine_stream));
}

void machine_mark(const char *what)
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

void machine_profile(bool on)
{
    profiling = on;
}

bool machine_profiled(void)
{
    return profiling;
}

void machine_profile_print(FILE *out)
{
    machine_mark(NULL);
    machine_wait();
    for (int i = 0; i + 1 < marks; i++) {
        float ms;
        if (!mark[i].what)
            continue;
        CUDA_OK(cudaEventElapsedTime(&ms, mark[i].at, mark[i + 1].at));
        marks_add(mark[i].what, ms / 1e3);
    }
    marks = 0;
    marks_print(out);
}

/* the name of the GPU */
const char *machine_name(void)
{
    return cuda_name();
}
