/* Tangled from chapters/workshop/measuring-ceilings.nw, "matmul-sweep: square matrices of every size".  Edit it there. */

/* matmul-sweep: the rate of square products against their size. */
#include "bench/cublaslt.cuh"

/* matmul-sweep: time one size */
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

/* matmul-sweep: which sizes */
static void sizes(void)
{
    const size_t most = (size_t)8192 * 8192 * 2;
    CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    job.kind = &lt_kinds[LT_BF16];
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

/* matmul-sweep: the products of GPT-2 */
static const struct { const char *name; int K, M; } layers[] = {
    { "qkv", 768, 2304 }, { "att", 768, 768 }, { "fc", 768, 3072 },
    { "proj", 3072, 768 }, { "head", 768, 50304 } };

static void one_product(const char *name, struct LtJob *j)
{
    double flop = 2.0 * j->m * j->n * j->k;
    lt_operands(j, DATA_NORMAL);
    if (!lt_plan(j, 0))
        fail("no algorithm for %s", name);
    lt_run(j);
    if (!lt_right(j))
        fail("%s: the product is wrong; no time is given", name);
    pause_ms(100);
    struct Sample t = gpu_time(lt_run, j, RUNS, false);
    double us = 1e6 * median(&t);
    printf("%-8s %5d x %5d x %5d %9.1f us %9.1f - %9.1f %7.1f "
           "TFLOP/s\n", name, j->m, j->n, j->k, us, 1e6 * fastest(&t),
           1e6 * slowest(&t), flop / us / 1e6);
    number_put(&numbers, "us", us, "product.%s", name);
    lt_forget(j);
    lt_release(j);
}

/* y = x w, dx = dy w', dw = x' dy, for 65,536 tokens. */
static void products_of(int i)
{
    const int N = 65536, K = layers[i].K, M = layers[i].M;
    const struct { const char *form; int m, n, k; bool ta, tb; } all[] = {
        { "%s.y", M, N, K, false, false },
        { "%s.dx", K, N, M, true, false },
        { "%s.dw", M, K, N, false, true } };
    for (int f = 0; f < 3; f++) {
        char name[16];
        struct LtJob j = lt_job(&lt_kinds[LT_BF16], 0, all[f].ta);
        j.tb = all[f].tb;
        j.m = all[f].m;
        j.n = all[f].n;
        j.k = all[f].k;
        snprintf(name, sizeof name, all[f].form, layers[i].name);
        one_product(name, &j);
    }
}

int main(int argc, char **argv)
{
    lab_open(argc, argv, "Time square bf16 products of many sizes.");
    lt_open();
    sizes();
    for (int i = 0; i < 5; i++)
        products_of(i);
    lab_close();
    return 0;
}
