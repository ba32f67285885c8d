/* Tangled from chapters/workshop/measuring-a-gpu.nw, "transpose: the ladder".  Edit it there. */

/* transpose: every version, checked, then timed beside a copy. */
#include "bench/access_kernels.h"
#include "bench/cuda_bench.cuh"
#include "ladder/transpose.h"

enum { RUNS = 51 };

/* transpose: is it right */
static void check(const struct Transpose *v, int M, int N)
{
    size_t n = (size_t)M * N;
    uint32_t *in = (uint32_t *)random_memory(n * 4), *out;
    uint32_t *h = (uint32_t *)malloc(n * 4), *t = (uint32_t *)malloc(n * 4);
    if (!h || !t)
        fail("no memory for %d x %d numbers", M, N);
    CUDA_OK(cudaMalloc(&out, n * 4));
    CUDA_OK(cudaMemset(out, 0xff, n * 4));
    v->run((float *)out, (const float *)in, M, N);
    CUDA_OK(cudaMemcpy(h, in, n * 4, cudaMemcpyDeviceToHost));
    CUDA_OK(cudaMemcpy(t, out, n * 4, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        if (t[i % N * M + i / N] != h[i])
            fail("%s, %d x %d: element %zu is wrong; no time is given",
                 v->name, M, N, i);
    CUDA_OK(cudaFree(in));
    CUDA_OK(cudaFree(out));
    free(h);
    free(t);
}

static void check_all(void)
{
    const int sizes[][2] = { { 1, 1 }, { 1, 33 }, { 257, 1 }, { 33, 257 },
        { 260, 36 }, { 1000, 1028 }, { 8192, 8192 } };
    for (const struct Transpose *v = transposes(); v->name; v++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            if (sizes[i][0] % v->multiple + sizes[i][1] % v->multiple == 0)
                check(v, sizes[i][0], sizes[i][1]);
}

/* transpose: time one version */
/* width: 0 a transpose; 4, 16 a copy of so many bytes a thread; 1 the
 * runtime's own copy, the ceiling. */
struct Job {
    const struct Transpose *v;
    float *out, *in;
    int M, N, width;
};

static void transpose_job(void *job)
{
    struct Job *j = (struct Job *)job;
    size_t bytes = (size_t)j->M * j->N / 4 * 16;
    if (j->width > 1)
        copy_by(j->out, j->in, bytes, j->width);
    else if (j->width == 1)
        CUDA_OK(cudaMemcpyAsync(j->out, j->in, bytes,
                                cudaMemcpyDeviceToDevice, 0));
    else
        j->v->run(j->out, j->in, j->M, j->N);
}

static void time_one(const char *table, const char *name, struct Job *j,
                     double *copy_us)
{
    double bytes = 8.0 * j->M * j->N;
    struct Sample t = gpu_time(transpose_job, j, RUNS, true);
    double us = 1e6 * median(&t);
    if (j->width == 1)
        *copy_us = us;
    printf("%-12s", name);
    timed_row(&t, bytes, GBS, 100 * *copy_us / us, "h200.transpose.%s%s",
              table, name);
}

static void ladder(const char *table, int M, int N)
{
    struct Job j = { NULL, NULL, NULL, M, N, 1 };
    double copy_us = 0;
    size_t bytes = (size_t)M * N * 4;
    j.out = (float *)random_memory(bytes);
    j.in = (float *)random_memory(bytes);
    printf("\ntranspose %d x %d float32, %.1f MB in and out, %d runs, L2 "
           "overwritten before each\n", M, N, 2e-6 * (double)bytes, RUNS);
    time_one(table, "memcpy", &j, &copy_us);
    j.width = 16;
    time_one(table, "copy16", &j, &copy_us);
    j.width = 4;
    time_one(table, "copy4", &j, &copy_us);
    j.width = 0;
    for (j.v = transposes(); j.v->name; j.v++)
        if (M % j.v->multiple + N % j.v->multiple == 0)
            time_one(table, j.v->name, &j, &copy_us);
    CUDA_OK(cudaFree(j.out));
    CUDA_OK(cudaFree(j.in));
}

int main(int argc, char **argv)
{
    lab_open(argc, argv, "Time the versions of the transpose.");
    check_all();
    ladder("", 8192, 8192);
    ladder("odd.", 8191, 8193);
    ladder("wide.", 4096, 12288);
    ladder("small.", 1024, 1024);
    lab_close();
    return 0;
}
