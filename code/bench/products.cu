/* Tangled from chapters/workshop/matmul-plumbing.nw, "The program that measures".  Edit it there. */

/* products: the matrix products of a training step of GPT-2 124M. */
#include "bench/cuda_bench.cuh"
#include "ops/gelu/gelu_bf16.h"
#include "ops/linear/bias_grad_bf16.h"
#include "ops/matmul/matmul_impls.h"

enum { TOKENS = 65536, VP = 50304 };

/* products: the shapes of a step */
static const struct Shape {
    const char *name;
    int M, N, K, flags, times;      /* so often in a step */
    bool to_float, bias;
    enum Epilogue epilogue;
} shapes[] = {
    { "square", 8192, 8192, 8192, 0, 0, false, false, EPI_NONE },
    { "qkv.y", TOKENS, 2304, 768, 0, 12, false, true, EPI_NONE },
    { "proj.y", TOKENS, 768, 768, 0, 12, false, true, EPI_NONE },
    { "fc.y", TOKENS, 3072, 768, 0, 12, false, true, EPI_GELU },
    { "mlp.y", TOKENS, 768, 3072, 0, 12, false, true, EPI_NONE },
    { "cls.y", TOKENS, VP, 768, GEMM_TB, 1, false, false, EPI_NONE },
    { "cls.dx", TOKENS, 768, VP, 0, 1, false, false, EPI_NONE },
    { "cls.dw", VP, 768, TOKENS, GEMM_TA, 1, true, false, EPI_NONE },
    { "mlp.dx", TOKENS, 3072, 768, GEMM_TB, 12, false, false, EPI_DGELU },
    { "mlp.dw", 3072, 768, TOKENS, GEMM_TA, 12, true, false, EPI_NONE },
    { "fc.dx", TOKENS, 768, 3072, GEMM_TB, 12, false, false, EPI_NONE },
    { "fc.dw", 768, 3072, TOKENS, GEMM_TA, 12, true, false, EPI_NONE },
    { "proj.dx", TOKENS, 768, 768, GEMM_TB, 12, false, false, EPI_NONE },
    { "proj.dw", 768, 768, TOKENS, GEMM_TA, 12, true, false, EPI_NONE },
    { "qkv.dx", TOKENS, 768, 2304, GEMM_TB, 12, false, false, EPI_NONE },
    { "qkv.dw", 768, 2304, TOKENS, GEMM_TA, 12, true, false, EPI_NONE },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* products: memory for all of them */
static bf16 *left, *right, *out, *pre, *bias;
static float *sums;

__global__ static void fill16(bf16 *x, size_t n, uint32_t seed, float size)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += (size_t)gridDim.x * blockDim.x) {
        uint32_t z = (uint32_t)i * 0x9e3779b9u + seed;
        z = (z ^ (z >> 16)) * 0x85ebca6bu;
        z = (z ^ (z >> 13)) * 0xc2b2ae35u;
        const float u = (float)((z ^ (z >> 16)) >> 8) / 16777216.0f;
        x[i] = float_to_bf16(size * (2 * u - 1));
    }
}

static bf16 *some(size_t n, uint32_t seed, float size)
{
    bf16 *x;
    CUDA_OK(cudaMalloc(&x, n * sizeof *x));
    fill16<<<2048, 256>>>(x, n, seed, size);
    CUDA_OK(cudaGetLastError());
    return x;
}

static void make_room(void)
{
    const size_t big = (size_t)TOKENS * VP, middle = (size_t)TOKENS * 3072;
    left = some(big, 1, 1), right = some(middle, 2, 0.05f);
    out = some(big, 3, 1), pre = some(middle, 4, 3);
    bias = some(VP, 5, 1), sums = (float *)some(2 * VP, 6, 1);
}

static struct MatmulBf16 matmul_of(const struct Shape *s)
{
    struct MatmulBf16 p = {};
    p.M = s->M, p.N = s->N, p.K = s->K, p.flags = s->flags;
    p.a = left, p.b = right, p.out = out, p.out_float = s->to_float;
    p.lda = s->flags & GEMM_TA ? p.M : p.K;
    p.ldb = s->flags & GEMM_TB ? p.K : p.N;
    p.ldo = p.N;
    p.bias = s->bias ? bias : NULL;
    p.epilogue = s->epilogue;
    p.pre = s->epilogue ? pre : NULL;
    return p;
}

static const struct Shape *shape(const char *name)
{
    for (int i = 0; i < SHAPES; i++)
        if (strcmp(shapes[i].name, name) == 0)
            return &shapes[i];
    fail("no shape is called %s", name);
}

/* products: what can be timed */
enum What { LIBRARY, OURS, GELU, DGELU, COLUMNS };

struct Timed {
    struct MatmulBf16 p;
    enum What what;
    int repeat;
    bool done;
};

static void run_once(struct Timed *t)
{
    const struct MatmulBf16 *p = &t->p;
    const size_t n = (size_t)p->M * p->N;
    t->done = true;
    switch (t->what) {
    case LIBRARY: t->done = matmul_bf16_cublaslt(p); break;
    case OURS:    t->done = matmul_bf16_mma(p); break;
    case GELU:    gelu_bf16_fwd((bf16 *)p->out, pre, n); break;
    case DGELU:   gelu_bf16_bwd((bf16 *)p->out, (bf16 *)p->out, pre,
                                n); break;
    case COLUMNS: bias_grad_bf16(sums, p->b, p->K, p->N, false); break;
    }
}

static void run_all(void *job)
{
    struct Timed *t = (struct Timed *)job;
    for (int i = 0; i < t->repeat; i++)
        run_once(t);
}

/* products: time it */
/* Microseconds, back to back; less than 0: it cannot be done. */
static double time_us(struct MatmulBf16 p, enum What what, int runs)
{
    struct Timed t = { p, what, 1, false };
    run_once(&t);
    if (!t.done)
        return -1;
    const double flop = 2.0 * p.M * p.N * p.K;
    t.repeat = flop > 3e12 ? 1 : flop > 3e11 ? 5 : 15;
    const struct Sample s = gpu_time(run_all, &t, runs, false);
    return 1e6 * median(&s) / t.repeat;
}

static void put_us(double us, const char *name, const char *what)
{
    if (us > 0)
        number_put(&numbers, "us", us, "products.%s.%s", name, what);
}

static double tflops(const struct MatmulBf16 *p, double us)
{
    return 2e-6 * p->M * p->N * p->K / us;
}

/* products: a few elements in double */
/* exact[i], i < 16: elements of op(a) op(b) + bias, a block for each */
__global__ static void exact_kernel(double *exact, struct MatmulBf16 p)
{
    __shared__ double part[256];
    const int m = (blockIdx.x * 7919 + 13) % p.M;
    const int n = (blockIdx.x * 104729 + 7) % p.N;
    double sum = 0;
    for (size_t k = threadIdx.x; k < (size_t)p.K; k += blockDim.x)
        sum += (double)bf16_to_float(p.flags & GEMM_TA ? p.a[k * p.lda + m]
                                                : p.a[m * p.lda + k])
             * bf16_to_float(p.flags & GEMM_TB ? p.b[n * p.ldb + k]
                                               : p.b[k * p.ldb + n]);
    part[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x)
        return;
    for (int i = 1; i < 256; i++)
        sum += part[i];
    sum += p.bias ? bf16_to_float(p.bias[n]) : 0.0f;
    const size_t at = (size_t)m * p.N + n;
    exact[2 * blockIdx.x] = sum;
    exact[2 * blockIdx.x + 1] = p.out_float ? ((float *)p.out)[at]
                              : bf16_to_float(((bf16 *)p.out)[at]);
}

/* Plain results only: the test has the epilogues. */
static void check(const struct Shape *s, enum What what)
{
    struct Timed t = { matmul_of(s), what, 1, false };
    double *d, h[32];
    t.p.epilogue = EPI_NONE, t.p.pre = NULL;
    run_once(&t);
    if (!t.done)
        return;
    CUDA_OK(cudaMalloc(&d, sizeof h));
    exact_kernel<<<16, 256>>>(d, t.p);
    CUDA_OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CUDA_OK(cudaFree(d));
    const double small = 1e-4 * sqrt((double)s->K);
    for (int i = 0; i < 32; i += 2)
        if (!(fabs(h[i + 1] - h[i]) <= fabs(h[i]) / 256 + small))
            fail("%s: %g should be %g; no time is given", s->name, h[i + 1],
                 h[i]);
}

/* products: one shape */
static void warm(void)
{
    cublaslt_experiment = {};
    time_us(matmul_of(&shapes[0]), LIBRARY, 1);
}

enum { TURNS = 8, PROPOSALS = 8 };

struct Variant {
    const char *shape, *what;
    struct MatmulBf16 p;
    enum What how;
    int candidate;          /* of the proposals; 0: the program's own */
    bool with_sums;
    struct Sample t;
};

static void take_turns(struct Variant *list, int n)
{
    for (int turn = 0; turn < TURNS; turn++)
        for (int k = 0; k < n; k++) {
            struct Variant *v = &list[turn % 2 ? n - 1 - k : k];
            const bool slow = v->p.N % 8 || v->p.M % 8;
            warm();
            cublaslt_experiment.candidate = v->candidate;
            cublaslt_experiment.sums = v->with_sums ? sums : NULL;
            const double us = time_us(v->p, v->how, slow ? 1 : 5);
            if (turn > 0 && us > 0)
                sample_add(&v->t, us);
        }
    cublaslt_experiment = {};
}

/* Adds to sum[0] and [1] what a step pays for it, by both choices. */
static void one_shape(const struct Shape *s, double *peak, double *sum)
{
    const struct MatmulBf16 p = matmul_of(s);
    struct Variant v[PROPOSALS + 1] = {};
    check(s, LIBRARY);
    check(s, OURS);
    for (int i = 0; i <= PROPOSALS; i++)
        v[i].p = p, v[i].how = LIBRARY, v[i].candidate = i;
    take_turns(v, PROPOSALS + 1);
    const double us = median(&v[0].t), first = median(&v[1].t);
    warm();
    const double ours = time_us(p, OURS, 5);
    double best = first;
    for (int i = 2; i <= PROPOSALS; i++)
        best = v[i].t.runs ? fmin(best, median(&v[i].t)) : best;
    *peak = *peak == 0 ? tflops(&p, us) : *peak;
    sum[0] += s->times * us, sum[1] += s->times * first;
    /* print a shape and put its numbers */
    printf("%-8s %6d %6d %6d x%-2d %8.1f us %6.1f TFLOP/s %5.1f %% | first "
           "%8.1f  best %8.1f | ours %8.1f us %5.1f %%\n", s->name, s->M, s->N,
           s->K, s->times, us, tflops(&p, us), 100 * tflops(&p, us) / *peak,
           first, best, ours, 100 * us / ours);
    put_us(us, s->name, "us");
    put_us(first, s->name, "first");
    put_us(best, s->name, "best");
    put_us(ours, s->name, "ours");
    number_put(&numbers, "TFLOP/s", tflops(&p, us), "products.%s.rate",
               s->name);
    number_put(&numbers, "%", 100 * tflops(&p, us) / *peak,
               "products.%s.percent", s->name);
    number_put(&numbers, "%", 100 * us / ours, "products.%s.ours-percent",
               s->name);
    fflush(stdout);
}

/* products: what follows a product */
static struct Variant variants[40];
static int n_variants;

static void variant(const char *shape, const char *what,
                    struct MatmulBf16 p, enum What how)
{
    variants[n_variants++] = (struct Variant){ shape, what, p, how };
}

static void variant_with_sums(const char *shape, struct MatmulBf16 p)
{
    variant(shape, "with-sums", p, LIBRARY);
    variants[n_variants - 1].with_sums = true;
}

static void epilogues(void)
{
    struct MatmulBf16 p = matmul_of(shape("fc.y"));
    variant("fc.y", "fused", p, LIBRARY);
    p.pre = NULL;
    variant("fc.y", "gelu-only", p, LIBRARY);
    p.epilogue = EPI_NONE;
    variant("fc.y", "plain", p, LIBRARY);
    variant("fc.y", "gelu-bf16", p, GELU);
    p = matmul_of(shape("mlp.dx"));
    variant("mlp.dx", "fused", p, LIBRARY);
    variant_with_sums("mlp.dx", p);
    p.epilogue = EPI_NONE, p.pre = NULL;
    variant("mlp.dx", "plain", p, LIBRARY);
    variant("mlp.dx", "gelu-bf16", p, DGELU);
    p = matmul_of(shape("mlp.y"));
    variant("mlp.y", "alone", p, LIBRARY);
    p.add = left;
    variant("mlp.y", "add", p, LIBRARY);
}

static void bias_gradients(void)
{
    const char *const names[] = { "qkv.dw", "proj.dw", "fc.dw", "mlp.dw" };
    for (int i = 0; i < 4; i++) {
        struct MatmulBf16 p = matmul_of(shape(names[i]));
        variant(names[i], "alone", p, LIBRARY);
        variant_with_sums(names[i], p);
        variant(names[i], "sums-apart", p, COLUMNS);
        p.flags |= GEMM_ADD;
        variant(names[i], "add", p, LIBRARY);
    }
}

/* products: other sizes */
static void other_sizes(void)
{
    const char *const names[] = { "cls.y", "cls.dx", "cls.dw" };
    for (int i = 0; i < 3; i++)
        for (int rows = 8192; rows <= 16384; rows *= 2) {
            struct MatmulBf16 p = matmul_of(shape(names[i]));
            *(i < 2 ? &p.M : &p.K) = rows;
            p.flags |= i == 2 ? GEMM_ADD : 0;
            variant(names[i], rows == 8192 ? "8192" : "16384", p, LIBRARY);
        }
    struct MatmulBf16 p = matmul_of(shape("cls.y"));
    p.N = p.ldo = 50257;
    variant("cls.y", "odd", p, LIBRARY);
    p = matmul_of(shape("cls.dw"));
    p.M = p.lda = 50257;
    variant("cls.dw", "odd", p, LIBRARY);
}

static void time_variants(void)
{
    take_turns(variants, n_variants);
    for (struct Variant *v = variants; v < variants + n_variants; v++)
        if (v->t.runs) {
            printf("%-8s %-10s %8.1f us\n", v->shape, v->what,
                   median(&v->t));
            put_us(median(&v->t), v->shape, v->what);
        }
}

/* products: time the matmuls of a whole step */
static void step_of(void *job)
{
    (void)job;
    for (int i = 0; i < SHAPES; i++)
        for (int n = 0; n < shapes[i].times; n++) {
            const struct MatmulBf16 p = matmul_of(&shapes[i]);
            matmul_bf16_cublaslt(&p);
        }
}

/* All products of a step, by the program's choices and by the library's
 * first proposals, in turns on a warm chip. */
static void whole_step(void)
{
    struct Sample t[2] = {};
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < 2; i++) {
            cublaslt_experiment.candidate = i;
            const struct Sample s = gpu_time(step_of, NULL, 3, false);
            if (turn > 0)
                sample_add(&t[i], median(&s));
        }
    cublaslt_experiment.candidate = 0;
    printf("step %8.2f ms, by the first proposals %.2f\n",
           1e3 * median(&t[0]), 1e3 * median(&t[1]));
    number_put(&numbers, "ms", 1e3 * median(&t[0]), "products.step.us");
    number_put(&numbers, "ms", 1e3 * median(&t[1]), "products.step.first");
}

/* products: in float */
static void in_float(void)
{
    const struct Gemm g = { (float *)out, (float *)left, (float *)pre,
        NULL, 3072, 768, 3072, TOKENS, 3072, 768, 0 };
    for (int i = 0; gemm_kernel(i); i++) {
        const char *const name = gemm_kernel(i);
        gemm_use(name);
        gemm(g.c, g.a, g.b, g.M, g.N, g.K, 0);
        /* time three of these */
        cudaEvent_t from, to;
        float ms;
        CUDA_OK(cudaEventCreate(&from));
        CUDA_OK(cudaEventCreate(&to));
        CUDA_OK(cudaEventRecord(from, 0));
        for (int r = 0; r < 3; r++)
            gemm(g.c, g.a, g.b, g.M, g.N, g.K, 0);
        CUDA_OK(cudaEventRecord(to, 0));
        CUDA_OK(cudaEventSynchronize(to));
        CUDA_OK(cudaEventElapsedTime(&ms, from, to));
        const double us = 1e3 * ms / 3;
        printf("float    %-11s %8.1f us %6.1f TFLOP/s\n", name, us,
               2e-6 * g.M * g.N * g.K / us);
        put_us(us, "float", name);
    }
}

/* products: main */
int main(int argc, char **argv)
{
    lab_open(argc, argv, "Times the matrix products of a training step of "
             "GPT-2 124M, 65,536 tokens.");
    make_room();
    for (int i = 0; i < 12; i++)
        step_of(NULL);                  /* the chip gets warm: a second */
    double peak = 0, sum[2] = {}, flop = 0;
    for (int i = 0; i < SHAPES; i++) {
        const struct Shape *s = &shapes[i];
        one_shape(s, &peak, sum);
        flop += 2e-12 * s->times * s->M * s->N * s->K;
    }
    printf("sum %.2f ms, by the first proposals %.2f, %.2f TFLOP\n",
           sum[0] / 1e3, sum[1] / 1e3, flop);
    number_put(&numbers, "ms", sum[0] / 1e3, "products.sum");
    number_put(&numbers, "ms", sum[1] / 1e3, "products.sum.first");
    number_put(&numbers, "TFLOP", flop, "products.flop");
    epilogues();
    bias_gradients();
    other_sizes();
    time_variants();
    whole_step();
    in_float();
    lab_close_operators();
}
