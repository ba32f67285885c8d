/* Tangled from chapters/workshop/measuring-matmul.nw, "Measuring matrix products".  Edit it there. */

/* matmul: products in fp32 on CUDA cores, checked, then timed beside
 * cuBLAS. */
#include "bench/cublaslt.cuh"
#include "ladder/matmul.h"

enum { RUNS = 11, FEW = 3 };

/* matmul: print a row */
static double reference;                /* the library's seconds */

static void row(const struct LtJob *j, const char *size, const char *name,
                const struct Sample *t)
{
    printf("%s %-7s", size, name);
    timed_row(t, 2.0 * j->m * j->n * j->k, TFLOPS,
              100 * reference / median(t), "matmul.%s.%s", size, name);
}

/* matmul: the library's best */
static void library(struct LtJob *j, const char *size)
{
    struct Sample best = {};
    for (int nth = 0; lt_plan(j, nth); nth++) {
        CUDA_OK(cudaMemset(j->c, 0xff, (size_t)j->m * j->n * 4));
        lt_run(j);
        if (!lt_right(j))
            fail("cuBLAS, proposal %d: the product is wrong; no time is "
                 "given", nth);
        const struct Sample t = gpu_time(lt_run, j, RUNS, false);
        if (nth == 0 || median(&t) < median(&best))
            best = t;
        lt_forget(j);
    }
    if (best.runs == 0)
        fail("cuBLAS has no algorithm for %s", size);
    reference = median(&best);
    row(j, size, "cublas", &best);
}

/* matmul: time one of ours */
struct Job { const struct LtJob *lt; matmul_fn *run; };

static void our_work(void *job)
{
    const struct Job *j = (const struct Job *)job;
    j->run((float *)j->lt->c, (const float *)j->lt->b,
           (const float *)j->lt->a, j->lt->n, j->lt->m, j->lt->k);
}

static void ours(const struct LtJob *lt, const char *size,
                 const struct Matmul *v, const char *name, int runs)
{
    struct Job j = { lt, v->run };
    CUDA_OK(cudaMemset(lt->c, 0xff, (size_t)lt->m * lt->n * 4));
    our_work(&j);
    if (!lt_right(lt))
        fail("%s at %s: the product is wrong; no time is given", v->name,
             size);
    const struct Sample t = gpu_time(our_work, &j, runs, false);
    row(lt, size, name, &t);
}

/* matmul: sizes */
/* With which versions: the last one, as "ours", also the first, or all. */
enum Which { LAST, FIRST_TOO, ALL };

static const struct Size {
    const char *name;
    int M, N, K;
    enum Which which;
} sizes[] = {
    { "1000", 1000, 1000, 1000, LAST }, { "1024", 1024, 1024, 1024, LAST },
    { "2048", 2048, 2048, 2048, LAST }, { "4096", 4096, 4096, 4096, ALL },
    { "4095", 4095, 4097, 4099, FIRST_TOO },
    { "8192", 8192, 8192, 8192, LAST },
};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void one_size(const struct Size *z)
{
    struct LtJob lt = lt_job(&lt_kinds[LT_FP32], 0, false);
    lt.m = z->N;
    lt.n = z->M;
    lt.k = z->K;
    lt_operands(&lt, DATA_NORMAL);
    library(&lt, z->name);
    for (const struct Matmul *v = matmuls(); v->name; v++) {
        const bool last = !v[1].name, first = v == matmuls();
        if (z->which == ALL || last || (first && z->which == FIRST_TOO))
            ours(&lt, z->name, v, last && z->which != ALL ? "ours"
                 : v->name, v - matmuls() < 3 ? FEW : RUNS);
    }
    lt_release(&lt);
}

int main(int argc, char **argv)
{
    lab_open(argc, argv, "Time matrix products on CUDA cores.");
    lt_open();
    for (int i = 0; i < SIZES; i++)
        one_size(&sizes[i]);
    lab_close();
    return 0;
}
