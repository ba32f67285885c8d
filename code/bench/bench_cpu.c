/* Tangled from chapters/workshop/measuring-a-cpu.nw, "The program".  Edit it there. */

#include "backend/cpu_peak.h"
#include "backend/hugepages.h"
#include "base/args.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/threads.h"
#include "bench/numbers.h"
#include "bench/sample.h"
#include "gpt2/model.h"
#include "ladder/matmul_cpu.h"
#include "ops/adamw/adamw.h"
#include "ops/matmul/cpu_tile.h"
#include "ops/matmul/matmul.h"
#include "programs/kernels.h"

#include <dlfcn.h>
#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *out = "", *machine = "", *only = "";
static int runs = 21;
static int threads;
static struct Numbers numbers;

/* bench-cpu: sets of operands */
struct Shape {
    const char *name;           /* as in the names of the rows */
    int M, N, K, flags;
    int times;                  /* in one step of GPT-2 124M   */
};

struct Operands {
    int sets, turn;
    size_t size;                /* numbers in a set */
    float *all;
    const struct Shape *shape;
};

static void operands_new(struct Operands *o, const struct Shape *s)
{
    size_t M = (size_t)s->M, N = (size_t)s->N, K = (size_t)s->K;
    o->shape = s;
    o->size = (M * N + M * K + K * N + 15) / 16 * 16;
    o->sets = (int)((size_t)120000000 / 4 / o->size) + 2;
    o->turn = 0;
    o->all = hugepages_alloc(o->size * (size_t)o->sets * sizeof(float));
    if (!o->all)
        fail("no memory for the operands of %s", s->name);
    struct Rng r = rng_new(1, 1);
    for (size_t i = 0; i < o->size * (size_t)o->sets; i++)
        o->all[i] = 2 * (float)rng_uniform(&r) - 1;
}

static void next_set(struct Operands *o, float **c, float **a, float **b)
{
    const struct Shape *s = o->shape;
    float *set = o->all + o->size * (size_t)(o->turn++ % o->sets);
    *c = set;
    *a = set + (size_t)s->M * (size_t)s->N;
    *b = *a + (size_t)s->M * (size_t)s->K;
}

/* bench-cpu: check before timing */
typedef void matmul_fn(float *c, const float *a, const float *b, int M,
                       int N, int K, int flags);

static bool right(matmul_fn *f, struct Operands *o)
{
    const struct Shape *s = o->shape;
    float *c, *a, *b;
    next_set(o, &c, &a, &b);
    for (size_t i = 0; i < (size_t)s->M * (size_t)s->N; i++)
        c[i] = NAN;
    f(c, a, b, s->M, s->N, s->K, s->flags & ~GEMM_ADD);
    for (int t = 0; t < 4000; t++) {
        size_t m = (size_t)t * 7919 % (size_t)s->M;
        size_t n = (size_t)t * 104729 % (size_t)s->N;
        double sum = 0, size = 0;
        for (size_t k = 0; k < (size_t)s->K; k++) {
            double x = s->flags & GEMM_TA ? a[k * (size_t)s->M + m]
                                          : a[m * (size_t)s->K + k];
            x *= s->flags & GEMM_TB ? b[n * (size_t)s->K + k]
                                    : b[k * (size_t)s->N + n];
            sum += x;
            size += fabs(x);
        }
        if (!(fabs(c[m * (size_t)s->N + n] - sum) <= 1e-5 * size))
            return false;
    }
    return true;
}

static struct Sample time_matmul(matmul_fn *f, struct Operands *o,
                                 int times)
{
    const struct Shape *s = o->shape;
    struct Sample t = { 0 };
    float *c, *a, *b;
    if (!right(f, o))
        fail("%s: the result is wrong, so no time is given", s->name);
    for (int i = 0; i < times; i++) {
        next_set(o, &c, &a, &b);
        double start = now_s();
        f(c, a, b, s->M, s->N, s->K, s->flags);
        sample_add(&t, now_s() - start);
    }
    return t;
}

/* bench-cpu: OpenBLAS if it is there */
static void (*sgemm)(int, int, int, int, int, int, float, const float *,
                     int, const float *, int, float, float *, int);

/* Its threads start where this one may run: on all cores of our team. */
static void leave_the_core(void)
{
    cpu_set_t all, mine;
    CPU_ZERO(&all);
    #pragma omp parallel num_threads(threads) private(mine)
    {
        sched_getaffinity(0, sizeof mine, &mine);
        #pragma omp critical
        CPU_OR(&all, &all, &mine);
    }
    sched_setaffinity(0, sizeof all, &all);
}

static const char *blas_open(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f"))
        setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
#endif
    leave_the_core();
    void *lib = dlopen("libopenblas.so.0", RTLD_NOW);
    if (!lib)
        return NULL;
    void (*set_threads)(int);
    char *(*core)(void);
    *(void **)&set_threads = dlsym(lib, "openblas_set_num_threads");
    *(void **)&core = dlsym(lib, "openblas_get_corename");
    *(void **)&sgemm = dlsym(lib, "cblas_sgemm");
    if (!sgemm || !set_threads || !core)
        return NULL;
    set_threads(threads);
    return core();
}

static void blas_matmul(float *c, const float *a, const float *b, int M,
                        int N, int K, int flags)
{
    enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 };
    sgemm(ROW_MAJOR, flags & GEMM_TA ? TRANSPOSED : PLAIN,
          flags & GEMM_TB ? TRANSPOSED : PLAIN, M, N, K, 1,
          a, flags & GEMM_TA ? M : K, b, flags & GEMM_TB ? K : N,
          flags & GEMM_ADD ? 1 : 0, c, N);
}

/* bench-cpu: the ceilings */
static void ceilings(void)
{
    printf("\nceilings\n");
    for (int t = 1; t <= threads; t++) {
        double peak = cpu_peak_gflops(t, 0.3);
        struct Bandwidth b = cpu_bandwidth(t, (size_t)256 << 20, 1.0);
        printf("  %d thread%s  FMA %7.1f GFLOP/s   read %6.1f GB/s   "
               "copy %6.1f GB/s\n", t, t > 1 ? "s" : " ", peak, b.read,
               b.copy);
        number_put(&numbers, "GFLOP/s", peak, "cpu.peak.%d", t);
        number_put(&numbers, "GB/s", b.read, "cpu.read.%d", t);
        number_put(&numbers, "GB/s", b.copy, "cpu.copy.%d", t);
    }
}

static bool wanted(const char *part)
{
    return !*only || strcmp(only, part) == 0;
}

/* bench-cpu: the micro-kernel alone */
static double tiles(volatile float *sink)
{
    enum { DEPTH = 768, A = 32, B = 4 };
    static _Thread_local real a[A * ROW_MAX * DEPTH], b[B * NR_MAX * DEPTH],
                              c[ROW_MAX * NR_MAX];
    const struct Kernel *k = gemm_kernels;
    while (strcmp(k->name, gemm_used()) != 0)
        k++;
    for (int i = 0; a[0] == 0 && i < A * ROW_MAX * DEPTH; i++)
        a[i] = (real)sin(i + 1);
    for (int i = 0; b[0] == 0 && i < B * NR_MAX * DEPTH; i++)
        b[i] = (real)cos(i);
    struct Tile t = { .c = c, .ldc = (size_t)k->nr, .rows = k->mr,
                      .cols = k->nr, .depth = DEPTH,
                      .next_c = c, .next_a = a, .ahead = (char *)a };
    for (int i = 0; i < A * B; i++) {
        t.a = a + i / B * k->mr * DEPTH;
        t.b = b + i % B * k->nr * DEPTH;
        k->tile(&t);
    }
    *sink += c[0];
    return A * B * 2.0 * k->mr * k->nr * DEPTH;
}


enum { SLICES = 5000 };

static double middle(double *x)
{
    qsort(x, SLICES, sizeof *x, by_size);
    return x[SLICES / 2];
}

static void sustained(const char *name, double (*work)(volatile float *))
{
    double rate = 0, ghz = 0;
    #pragma omp parallel num_threads(threads) reduction(+ : rate, ghz)
    {
        static _Thread_local double rates[SLICES], clocks[SLICES];
        float sink = 0.5f;
        for (int i = 0; i < SLICES; i++) {
            double start = now_s(), flop = work(&sink);
            rates[i] = flop / (now_s() - start) / 1e9;
            clocks[i] = cpu_clock_ghz();
        }
        rate = middle(rates);
        ghz = middle(clocks) / threads;
    }
    printf("  %-10s %7.1f GFLOP/s at %.2f GHz\n", name, rate, ghz);
    number_put(&numbers, "GFLOP/s", rate, "kernel.%s.rate", name);
    number_put(&numbers, "GHz", ghz, "kernel.%s.clock", name);
}

static double ten_turns(volatile float *sink)
{
    double flop = 0;
    for (int i = 0; i < 10; i++)
        flop += cpu_multiply_adds(sink);
    return flop;
}

static void micro_kernel(void)
{
    printf("\nfor a second or two, %d threads, nothing but\n", threads);
    sustained("registers", ten_turns);
    sustained("tiles", tiles);
}

/* bench-cpu: the ladder */
static void print_row(const char *table, const char *name, double flop,
                      const struct Sample *t, double peak)
{
    double gflops = flop / median(t) / 1e9;
    double best = flop / fastest(t) / 1e9;
    printf("  %-26s %9.3f ms  %8.3f -%9.3f  %7.1f GFLOP/s %6.1f %%"
           "   fastest %5.1f %%\n", name, 1e3 * median(t),
           1e3 * fastest(t), 1e3 * slowest(t), gflops,
           100 * gflops / peak, 100 * best / peak);
    fflush(stdout);
    number_put(&numbers, "ms", 1e3 * median(t), "%s.%s.ms", table, name);
    number_put(&numbers, "GFLOP/s", gflops, "%s.%s.gflops", table, name);
    number_put(&numbers, "GFLOP/s", best, "%s.%s.fastest", table, name);
    number_put(&numbers, "%", 100 * gflops / peak, "%s.%s.percent", table,
               name);
    number_put(&numbers, "%", 100 * best / peak, "%s.%s.best", table, name);
}

static void with_kernel(struct Operands *o, double flop, const char *kernel,
                        int team)
{
    if (!gemm_use(kernel))
        return;
    char name[32];
    snprintf(name, sizeof name, team > 1 ? "%s-%d" : "%s", kernel, team);
    omp_set_num_threads(team);
    double peak = cpu_peak_gflops(team, 0.1);
    struct Sample t = time_matmul(gemm, o, runs);
    peak = fmax(peak, cpu_peak_gflops(team, 0.1));
    print_row("ladder", name, flop, &t, peak);
}

static void ladder(void)
{
    static const struct Shape shape = { "ladder", 256, 3072, 768, 0, 1 };
    struct { const char *name; matmul_fn *f; int runs; } steps[] = {
        { "naive", matmul_naive, 3 }, { "reordered", matmul_reordered, 5 },
        { "blocked", matmul_blocked, 5 },
    };
    double flop = 2.0 * shape.M * shape.N * shape.K;
    struct Operands o;
    operands_new(&o, &shape);
    printf("\nladder: y = x w, x 256x768, w 768x3072, 1 thread\n");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        double peak = cpu_peak_gflops(1, 0.1);
        struct Sample t = time_matmul(steps[i].f, &o, steps[i].runs);
        print_row("ladder", steps[i].name, flop, &t, peak);
    }
    with_kernel(&o, flop, "portable", 1);
    with_kernel(&o, flop, "neon", 1);
    with_kernel(&o, flop, "avx2", 1);
    with_kernel(&o, flop, "avx512", 1);
    gemm_use(NULL);
    with_kernel(&o, flop, gemm_used(), threads);
    gemm_use(NULL);
    omp_set_num_threads(threads);
    free(o.all);
}

/* bench-cpu: the shapes of GPT-2 */
#define DW (GEMM_TA | GEMM_NONTEMPORAL)
static const struct Shape shapes[] = {
    { "fc.y",      256,  3072,   768, 0,       12 },
    { "fc.dx",     256,   768,  3072, GEMM_TB, 12 },
    { "fc.dw",     768,  3072,   256, DW,      12 },
    { "proj.y",    256,   768,  3072, 0,       12 },
    { "proj.dx",   256,  3072,   768, GEMM_TB, 12 },
    { "proj.dw",  3072,   768,   256, DW,      12 },
    { "qkv.y",     256,  2304,   768, 0,       12 },
    { "qkv.dx",    256,   768,  2304, GEMM_TB, 12 },
    { "qkv.dw",    768,  2304,   256, DW,      12 },
    { "att.y",     256,   768,   768, 0,       12 },
    { "att.dx",    256,   768,   768, GEMM_TB, 12 },
    { "att.dw",    768,   768,   256, DW,      12 },
    { "head.y",    256, 50257,   768, GEMM_TB,  1 },
    { "head.dx",   256,   768, 50257, 0,        1 },
    { "head.dw", 50257,   768,   256, DW,       1 },
};

static void pause_ms(int ms)
{
    struct timespec t = { 0, 1000000L * ms };
    nanosleep(&t, NULL);
}

static void all_shapes(const char *table, matmul_fn *f)
{
    double flop_step = 0, seconds = 0, best = 0, peaks = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct Shape *s = &shapes[i];
        double flop = 2.0 * s->M * s->N * s->K;
        struct Operands o;
        operands_new(&o, s);
        pause_ms(100);
        double peak = cpu_peak_gflops(threads, 0.1);
        pause_ms(100);
        struct Sample t = time_matmul(f, &o, flop > 1e10 ? runs / 3 : runs);
        pause_ms(100);
        peak = fmax(peak, cpu_peak_gflops(threads, 0.1));
        print_row(table, s->name, flop, &t, peak);
        flop_step += s->times * flop;
        seconds += s->times * median(&t);
        best += s->times * fastest(&t);
        peaks += s->times * flop / peak / 1e9;
        free(o.all);
    }
    printf("  all, as often as in a step: %.1f ms, %.1f GFLOP/s, %.1f %%"
           " (fastest %.1f %%)\n", 1e3 * seconds, flop_step / seconds / 1e9,
           100 * peaks / seconds, 100 * peaks / best);
    number_put(&numbers, "ms", 1e3 * seconds, "%s.step.ms", table);
    number_put(&numbers, "GFLOP", flop_step / 1e9, "%s.step.gflop", table);
    number_put(&numbers, "GFLOP/s", flop_step / seconds / 1e9,
               "%s.step.gflops", table);
    number_put(&numbers, "%", 100 * peaks / seconds, "%s.step.percent",
               table);
    number_put(&numbers, "%", 100 * peaks / best, "%s.step.best", table);
}

static void gpt2_shapes(void)
{
    printf("\nmatmuls of GPT-2 124M, B=4 T=64, %s, %d threads, operands "
           "not in cache\n", gemm_used(), threads);
    all_shapes("matmul", gemm);
    const char *core = blas_open();
    if (!core) {
        printf("\nOpenBLAS is not installed: no yardstick\n");
        return;
    }
    printf("\nthe same, OpenBLAS with its %s kernel\n", core);
    all_shapes(strcmp(core, "SkylakeX") == 0 ? "blas" : "blas-other",
               blas_matmul);
}

/* bench-cpu: a whole training step */
static void training_step(void)
{
    enum { B = 4, T = 64 };
    struct Config config;
    struct Model m;
    struct Error e;
    if (!config_preset(&config, "gpt2", &e)
        || !model_create(&m, &config, B, T, true, &e))
        fail("%s", e.text);
    model_init(&m, 1);
    int32_t tokens[B * T], targets[B * T];
    struct Rng r = rng_new(1, 2);
    for (int i = 0; i < B * T; i++) {
        tokens[i] = (int32_t)rng_below(&r, 50257);
        targets[i] = (int32_t)rng_below(&r, 50257);
    }
    /* bench-cpu: time forward, backward and the update */
    size_t n = m.table.total;
    real *moments = hugepages_alloc(2 * n * sizeof *moments);
    if (!moments)
        fail("no memory for the moments of the optimiser");
    memset(moments, 0, 2 * n * sizeof *moments);
    struct AdamwStep s = { .lr = 1e-4, .beta1 = 0.9, .beta2 = 0.95,
                           .eps = 1e-8, .decay = 0.1, .scale = 1 };
    struct Sample grad = { 0 }, update = { 0 }, step = { 0 };
    double peak = cpu_peak_gflops(threads, 0.1), loss = 0;
    for (int i = 0; i < runs / 2 + 2; i++) {
        double start = now_s();
        loss = model_forward_backward(&m, tokens, targets, B, T, 1, false);
        double middle = now_s();
        s.step = i + 1;
        s.scale = fmin(1, 1 / sqrt(model_grad_sumsq(&m)));
        adamw_update(m.w.base, moments, moments + n, m.g.base, n, &s);
        double end = now_s();
        if (!isfinite(loss))
            fail("the loss of the training step is not finite");
        if (i > 0) {
            sample_add(&grad, middle - start);
            sample_add(&update, end - middle);
            sample_add(&step, end - start);
        }
    }
    peak = fmax(peak, cpu_peak_gflops(threads, 0.1));
    printf("\none training step of GPT-2 124M, B=4 T=64\n");

    /* bench-cpu: print the step */
    struct { const char *name; const struct Sample *t; } parts[] = {
        { "gradient", &grad }, { "update", &update }, { "all", &step } };
    for (int i = 0; i < 3; i++) {
        const struct Sample *t = parts[i].t;
        printf("  %-10s %8.1f ms  %8.1f - %8.1f\n", parts[i].name,
               1e3 * median(t), 1e3 * fastest(t), 1e3 * slowest(t));
        number_put(&numbers, "ms", 1e3 * median(t), "step.%s.ms",
                   parts[i].name);
        number_put(&numbers, "ms", 1e3 * fastest(t), "step.%s.best",
                   parts[i].name);
    }
    double flop = 190e9;
    printf("  matmuls alone at the peak of %.1f GFLOP/s: %.1f ms\n", peak,
           1e3 * flop / peak / 1e9);
    number_put(&numbers, "GFLOP/s", peak, "step.peak");
    free(moments);
    model_free(&m);
}

/* bench-cpu: main */
int main(int argc, char **argv)
{
    threads_stay_put(argv);
    const struct Option options[] = {
        NUMBERS_OPTIONS(out, machine),
        { "only", OPT_CHOICE, &only, 0, 0, "ceilings|kernel|ladder|shapes|"
          "step", "one of the five parts", NULL },
        { "runs", OPT_INT, &runs, 3, MAX_RUNS, "N",
          "runs of each measurement", NULL },
        { .type = OPT_END },
    };
    const struct Usage usage = { "[options]",
        "Measure this processor and the matmuls of a training step on it.",
        NULL };
    args_options(argc, argv, options, &usage);
    kernels_from_environment();
    threads = omp_get_max_threads();
    struct Error e;
    if (!numbers_open(&numbers, out, machine, "make bench", &e))
        fail("%s", e.text);
    time_t now = time(NULL);
    char date[32];
    strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime(&now));
    printf("%s; %s\n%d threads; float32; median, fastest - slowest of up "
           "to %d runs; %% of the peak measured around each row\n",
           cpu_name(), date, threads, runs);
    if (wanted("ceilings"))
        ceilings();
    if (wanted("kernel"))
        micro_kernel();
    if (wanted("ladder"))
        ladder();
    if (wanted("shapes"))
        gpt2_shapes();
    if (wanted("step"))
        training_step();
    if (!numbers_close(&numbers, &e))
        fail("%s", e.text);
    return 0;
}
