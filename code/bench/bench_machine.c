/* Tangled from chapters/workshop/timing-operators.nw, "The operators on any machine".  Edit it there. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "backend/backend.h"
#include "base/args.h"
#include "base/clock.h"
#include "bench/numbers.h"
#include "bench/operator_costs.h"
#include "ops/adamw/adamw.h"
#include "ops/attention/attention.h"
#include "ops/embedding/embedding.h"
#include "ops/gelu/gelu.h"
#include "ops/layernorm/layernorm.h"
#include "ops/linear/linear.h"
#include "ops/loss/crossentropy.h"
#include "ops/matmul/matmul.h"
#include "ops/peak/peak.h"
#include "ops/residual/residual.h"

/* bench-machine: sizes and memory */
enum { C = 768, NH = 12, V = 50257, RUNS = 11 };
static int B = 64, T = 1024, rows = 8192;
static int N;                       /* B T */
static size_t n;                    /* N C */
static real *big[4], *small, *stat, *table, *logits;
static int32_t *tokens;
static const struct AdamwStep step = { .lr = 1e-4, .beta1 = 0.9,
    .beta2 = 0.95, .eps = 1e-8, .decay = 0.1, .scale = 1, .step = 9 };
#define PARAMETERS ((size_t)V * C)

/* bench-machine: one call of each operator */
static void copy(void)
{
    backend_copy(big[0], big[1], 4 * n * sizeof(real));
}

static void embed(void)
{
    embedding_fwd(big[0], tokens, table, big[1], B, T, C);
}

static void embed_bwd(void)
{
    embedding_bwd(table, big[1], big[0], tokens, B, T, C);
}

static void norm(void)
{
    layernorm_fwd(big[0], stat, stat + N, big[1], small, small, N, C);
}

static void norm_bwd(void)
{
    layernorm_bwd(big[0], small, small + C, big[2], big[1], stat, stat + N,
                  small + 2 * C, N, C);
}

static void residual(void)
{
    residual_fwd(big[0], big[1], big[2], n);
}

static void gelu(void)
{
    gelu_fwd(big[0], big[1], 4 * n);
}

static void gelu_back(void)
{
    gelu_bwd(big[0], big[2], big[1], 4 * n);
}

static void attention(void)
{
    attention_fwd(big[0], stat, big[1], B, T, C, NH);
}

static void attention_back(void)
{
    attention_bwd(big[2], big[3], big[1], big[0], stat, B, T, C, NH);
}

static void loss(void)
{
    crossentropy_fwd(stat, stat + N, logits, tokens, rows, V, V);
}

static void loss_back(void)
{
    crossentropy_bwd(logits, logits, stat + N, tokens, 1e-6f, rows, V, V);
}

static void product(void)           /* the first layer of the MLP */
{
    linear_fwd(big[0], big[1], table, small, N, C, 4 * C);
}

static void matmul_dx(void)
{
    gemm(big[1], big[0], table, N, C, 4 * C, GEMM_TB);
}

static void matmul_dw(void)
{
    gemm(table, big[1], big[0], C, 4 * C, N, GEMM_TA);
}

static void optimiser(void)
{
    adamw_update(logits, logits + PARAMETERS, logits + 2 * PARAMETERS,
                 table, PARAMETERS, &step);
}

static double squares;

static void norm_of_all(void)
{
    squares = sum_squares(table, PARAMETERS);
}

/* bench-machine: the table */
struct Job { const char *name, *work; void (*call)(void); };

static const struct Job job[] = {
    { "copy", "copy", copy },
    { "embedding-fwd", "embedding-fwd", embed },
    { "embedding-bwd", "embedding-bwd", embed_bwd },
    { "layernorm-fwd", "layernorm-fwd", norm },
    { "layernorm-bwd", "layernorm-bwd", norm_bwd },
    { "residual", "residual", residual },
    { "gelu-fwd", "gelu-fwd", gelu },
    { "gelu-bwd", "gelu-bwd", gelu_back },
    { "attention-fwd", "attention-fwd", attention },
    { "attention-bwd", "attention-bwd", attention_back },
    { "linear-fwd", "fc.y", product },
    { "linear-dx", "fc.dx", matmul_dx },
    { "linear-dw", "fc.dw", matmul_dw },
    { "crossentropy-fwd", "crossentropy-fwd", loss },
    { "crossentropy-bwd", "crossentropy-bwd", loss_back },
    { "adamw", "adamw", optimiser },
    { "sum-squares", "sum-squares", norm_of_all },
};

static struct Work work_of(const struct Job *j)
{
    struct Work w[WORKS_MAX];
    struct Sizes s = { B, T, 12, C, NH, V, (double)PARAMETERS };
    if (j->call == loss || j->call == loss_back) {
        s.B = 1;
        s.T = rows;
    }
    return *work_find(w, works_float(w, &s), j->work);
}

/* bench-machine: time a job */
static void wait(void)
{
    real x;
    backend_get(&x, small, sizeof x);
}

static double time_us(const struct Job *j, int calls)
{
    double start = now_s();
    for (int i = 0; i < calls; i++)
        j->call();
    wait();
    return 1e6 * (now_s() - start) / calls;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* RUNS times of one call, sorted. */
static void time_job(const struct Job *j, double us[RUNS])
{
    time_us(j, 1);                          /* the first is different */
    int calls = 1 + (int)(1e4 / time_us(j, 1));
    for (int i = 0; i < RUNS; i++)
        us[i] = time_us(j, calls < 100 ? calls : 100);
    qsort(us, RUNS, sizeof *us, by_value);
}

/* bench-machine: fill the memory */
static void check(void)
{
    struct Error e;
    if (!backend_ok(&e))
        fail("%s", e.text);
}

static real *numbers(size_t count)
{
    real *p = backend_alloc(count * sizeof *p, "a benchmark");
    real *host = backend_borrow_blank(p, count * sizeof *p);
    check();
    for (size_t i = 0; i < count; i++)
        host[i] = (real)((double)(i * 2654435761u % 1024) / 256 - 2);
    backend_return(p, host, count * sizeof *p, true);
    return p;
}

static void fill(void)
{
    size_t bytes = (size_t)N * sizeof *tokens;
    for (int i = 0; i < 4; i++)
        big[i] = numbers(4 * n);
    small = numbers(16 * C);
    stat = numbers(2 * (size_t)N * NH);
    table = numbers(PARAMETERS);
    logits = numbers((size_t)(rows > 3 * C ? rows : 3 * C) * V);
    tokens = backend_alloc(bytes, "a benchmark");
    int32_t *host = backend_borrow_blank(tokens, bytes);
    check();
    for (int i = 0; i < N; i++) {
        double u = (double)((uint32_t)i * 2654435761u % 65536) / 65536;
        host[i] = (int32_t)(pow(V, u) - 1);
    }
    backend_return(tokens, host, bytes, true);
}

/* bench-machine: main */
static const char *out, *machine = "unknown", *name = "gpu";

static void run_all(void)
{
    struct Numbers file;
    struct Error e;
    if (!numbers_open(&file, out, machine, "bench-machine", &e))
        fail("%s", e.text);
    double peak = backend_peak_gflops(0.05);
    printf("B=%d T=%d C=%d; %.0f GFLOP/s of float multiply-adds\n", B, T, C,
           peak);
    number_put(&file, "TFLOP/s", peak / 1e3, "%s.peak", name);
    for (size_t i = 0; i < sizeof job / sizeof *job; i++) {
        double us[RUNS];
        /* bench-machine: one row */
        const struct Work w = work_of(&job[i]);
        time_job(&job[i], us);
        const double median = us[RUNS / 2];
        printf("%-17s %10.1f us  %10.1f - %10.1f  %7.0f GB/s  %6.0f GFLOP/s\n",
               job[i].name, median, us[0], us[RUNS - 1],
               w.bytes / median / 1e3, w.flop / median / 1e3);
        fflush(stdout);
        number_put(&file, "us", median, "%s.%s", name, job[i].name);
        number_put(&file, "us", us[0], "%s.%s.fastest", name, job[i].name);
        number_put(&file, "us", us[RUNS - 1], "%s.%s.slowest", name, job[i].name);
        number_put(&file, "MB", w.bytes / 1e6, "%s.%s.bytes", name, job[i].name);
        number_put(&file, "GFLOP", w.flop / 1e9, "%s.%s.flop", name, job[i].name);
    }
    check();
    if (!numbers_close(&file, &e))
        fail("%s", e.text);
}

int main(int argc, char **argv)
{
    const struct Option options[] = {
        { "batch", OPT_INT, &B, 1, 1024, "B", "sequences", NULL },
        { "seq", OPT_INT, &T, 1, 65536, "T", "tokens of each", NULL },
        { "rows", OPT_INT, &rows, 1, 1 << 20, "N", "of logits", NULL },
        NUMBERS_OPTIONS(out, machine),
        { "name", OPT_STRING, &name, 0, 0, "NAME",
          "how the rows begin", NULL },
        { .type = OPT_END },
    };
    const struct Usage usage = { "[options]", "Time every operator, alone, "
        "on the machine this program is for.", NULL };
    args_options(argc, argv, options, &usage);
    N = B * T;
    n = (size_t)N * C;
    if (rows > N)
        rows = N;
    fill();
    run_all();
    return 0;
}
