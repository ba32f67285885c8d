/* Appendix S, Measuring ceilings: S.3 matmul-sweep: square matrices of every size */
/* Tangled from chapters/s-roofline-lab.nw by `make tangle`; edit it there. */

/* matmul-sweep: the rate of square products against their size. */
#include "lab/lt.h"

/* matmul-sweep: time one size (S.3) */
enum { RUNS = 7 };
static struct LtJob job;
static cudaStream_t stream;
static cudaGraphExec_t several;

/* So many calls as one graph, so that the host is not what is timed. */
static void record(int calls)
{
    cudaGraph_t g;
    CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    for (int i = 0; i < calls; i++)
        lt_run_on(&job, stream);
    CUDA_OK(cudaStreamEndCapture(stream, &g));
    CUDA_OK(cudaGraphInstantiate(&several, g, 0));
    CUDA_OK(cudaGraphDestroy(g));
}

static void run_several(void *unused)
{
    (void)unused;
    CUDA_OK(cudaGraphLaunch(several, 0));
}

/* Seconds of one call, with proposal `nth` of the library; 0 if there is
 * none. */
static double time_proposal(int n, int nth, struct Sample *t)
{
    double us = 2.0 * n * n * n / 5e8 + 2;
    int calls = us > 200 ? 1 : (int)(200 / us) + 1;
    job.m = job.n = job.k = n;
    if (!lt_plan(&job, nth))
        return 0;
    CUDA_OK(cudaMemset(job.c, 0xff, (size_t)n * n * 2));
    lt_run(&job);
    if (!lt_right(&job))
        fail("n = %d, proposal %d: the product is wrong; no time is given",
             n, nth);
    record(calls);
    pause_ms(nth > 0 ? 4 : n > 2048 ? 20 : 2);
    *t = gpu_time(run_several, NULL, RUNS, false);
    CUDA_OK(cudaGraphExecDestroy(several));
    for (int i = 0; i < t->runs; i++)
        t->s[i] /= calls;
    return median(t);
}

static void new_numbers(int n)
{
    fill_kind(job.a, (size_t)n * n, job.kind->in, 1, DATA_NORMAL);
    fill_kind(job.b, (size_t)n * n, job.kind->in, 2, DATA_NORMAL);
}

static void one_size(const char *series, int n)
{
    struct Sample t;
    new_numbers(n);
    double s = time_proposal(n, 0, &t), rate = 2.0 * n * n * n / s / 1e12;
    if (s == 0)
        fail("no algorithm for n = %d", n);
    struct LtKernel k = lt_kernel(&job);
    printf("%5d %9.2f us %9.2f - %9.2f %7.1f TFLOP/s  %3dx%-3d %5d blocks "
           "%d %s\n", n, 1e6 * s, 1e6 * fastest(&t), 1e6 * slowest(&t),
           rate, k.tile_m, k.tile_n, k.blocks, k.kernels, k.name);
    number_put(&numbers, "TFLOP/s", rate, "sweep.%s.%d", series, n);
    number_put(&numbers, "", k.tile_m, "sweep.%s.%d.tile-m", series, n);
    number_put(&numbers, "", k.tile_n, "sweep.%s.%d.tile-n", series,
               n);
    lt_forget(&job);
}

/* The fastest of all that the library proposes. */
static void best_of_all(int n)
{
    struct Sample t;
    struct LtKernel best = {};
    double first = 0, least = 0;
    int which = 0, nth = 0;
    new_numbers(n);
    for (double s; (s = time_proposal(n, nth, &t)) > 0; nth++) {
        if (nth == 0)
            first = s;
        if (nth == 0 || s < least) {
            least = s;
            which = nth;
            best = lt_kernel(&job);
        }
        lt_forget(&job);
    }
    printf("%5d first %9.2f us, best %9.2f us, number %d of %d, %dx%d %s\n",
           n, 1e6 * first, 1e6 * least, which + 1, nth, best.tile_m,
           best.tile_n, best.name);
    number_put(&numbers, "TFLOP/s", 2.0 * n * n * n / least / 1e12,
               "sweep.best.%d", n);
    number_put(&numbers, "", best.tile_m, "sweep.best.%d.tile-m", n);
    number_put(&numbers, "", best.tile_n, "sweep.best.%d.tile-n", n);
}

/* matmul-sweep: which sizes (S.3) */
static void sizes(void)
{
    const size_t most = (size_t)8192 * 8192 * 2;
    CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    job.kind = &lt_kinds[0];
    CUDA_OK(cudaMalloc(&job.a, most));
    CUDA_OK(cudaMalloc(&job.b, most));
    CUDA_OK(cudaMalloc(&job.c, most));
    for (int n = 64; n <= 8192; n += 64)
        one_size("64", n);
    for (int n = 1536; n <= 2560; n += 8)
        one_size("8", n);
    for (int n = 4080; n <= 4112; n++)
        one_size("1", n);
    for (int n = 1536; n <= 4096; n += 128)
        best_of_all(n);
    CUDA_OK(cudaFree(job.a));
    CUDA_OK(cudaFree(job.b));
    CUDA_OK(cudaFree(job.c));
}

int main(int argc, char **argv)
{
    lab_open(argc, argv, "Time square bf16 products of many sizes.");
    lt_open();
    sizes();
    lab_close();
    return 0;
}
