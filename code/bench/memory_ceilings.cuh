/* Tangled from chapters/workshop/inference-plumbing.nw, "decode: the time of a token".  Edit it there. */

/* A copy and a pure read of 2 GiB: what no kernel exceeds. */
#ifndef BENCH_MEMORY_CEILINGS_CUH
#define BENCH_MEMORY_CEILINGS_CUH

#include "bench/cuda_bench.cuh"
#include "bench/read_once.cuh"

struct Ceilings { double copy, read; };         /* bytes a second */

struct Buffers { uint4 *from, *to; size_t bytes; };

static void copy_work(void *job)
{
    const struct Buffers *b = (const struct Buffers *)job;
    CUDA_OK(cudaMemcpyAsync(b->to, b->from, b->bytes,
                            cudaMemcpyDeviceToDevice, 0));
}

static void read_work(void *job)
{
    const struct Buffers *b = (const struct Buffers *)job;
    read_once<<<2112, 512>>>(b->to, b->from, b->bytes / sizeof *b->from);
}

/* Measured, printed, and kept as rows NAME.copy and NAME.read. */
static struct Ceilings ceilings(const char *name)
{
    struct Buffers b = { .from = NULL, .to = NULL,
                         .bytes = (size_t)2 << 30 };
    b.from = (uint4 *)random_memory(b.bytes);
    b.to = (uint4 *)random_memory(b.bytes);
    const struct Sample copy = gpu_time(copy_work, &b, 21, false);
    const struct Sample read = gpu_time(read_work, &b, 21, false);
    CUDA_OK(cudaGetLastError());
    printf("%-44s", "a copy of 2 GiB");
    timed_row(&copy, 2.0 * b.bytes, GBS, 100, "%s.copy", name);
    printf("%-44s", "reading 2 GiB");
    timed_row(&read, (double)b.bytes, GBS,
              50 * median(&copy) / median(&read), "%s.read", name);
    CUDA_OK(cudaFree(b.from));
    CUDA_OK(cudaFree(b.to));
    return { 2.0 * b.bytes / median(&copy), b.bytes / median(&read) };
}

#endif
