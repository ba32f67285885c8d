/* Tangled from chapters/workshop/timing-operators.nw, "How long the operators take".  Edit it there. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backend/backend.h"
#include "base/args.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/threads.h"
#include "bench/numbers.h"
#include "ops/attention/attention.h"
#include "ops/embedding/embedding.h"
#include "ops/gelu/gelu.h"
#include "ops/kernels/vmath.h"
#include "ops/layernorm/layernorm.h"
#include "ops/linear/linear.h"
#include "ops/loss/crossentropy.h"
#include "ops/residual/residual.h"
#include <math.h>
#include <omp.h>

/* bench-ops: shapes and memory */
enum { L = 12, C = 768, NH = 12, V = 50257 };
static int B = 4, T = 64, repeat = 15;

static real *m[4];              /* each N x V: room for L x N x 4C    */
static real *table;             /* V x C, for the embedding           */
static real *row;               /* 4C: weights, biases, their sums    */
static real *stat;              /* 2 N NH: means, log-sum-exps        */
static int32_t *tokens;         /* N */

/* bench-ops: one call of each operator */
#define AT(i, width) ((size_t)(i) * B * T * (width))

static void copy(int i)
{
    size_t n = AT(1, 4 * C);
    #pragma omp parallel for schedule(static)
    for (size_t k = 0; k < n; k += C)
        memcpy(m[0] + i * n + k, m[1] + i * n + k, C * sizeof(real));
}

static void embed(int i)
{
    (void)i;
    embedding_fwd(m[0], tokens, table, m[1], B, T, C);
}

static void embed_back(int i)
{
    (void)i;
    embedding_bwd(table, m[1], m[0], tokens, B, T, C);
}

static void norm(int i)
{
    layernorm_fwd(m[0] + AT(i, C), stat, stat + B * T, m[1] + AT(i, C),
                  row, row + C, B * T, C);
}

static void norm_back(int i)
{
    layernorm_bwd(m[0] + AT(i, C), row + 2 * C, row + 3 * C,
                  m[1] + AT(i, C), m[2] + AT(i, C), stat, stat + B * T,
                  row, B * T, C);
}

static void attend(int i)
{
    attention_fwd(m[0] + AT(i, C), stat, m[1] + AT(i, 3 * C), B, T, C, NH);
}

static void attend_back(int i)
{
    attention_bwd(m[0] + AT(i, 3 * C), m[1] + AT(i, C),
                  m[2] + AT(i, 3 * C), m[3] + AT(i, C), stat, B, T, C, NH);
}

static void gelu(int i)
{
    gelu_fwd(m[0] + AT(i, 4 * C), m[1] + AT(i, 4 * C), AT(1, 4 * C));
}

static void gelu_back(int i)
{
    gelu_bwd(m[0] + AT(i, 4 * C), m[1] + AT(i, 4 * C), m[2] + AT(i, 4 * C),
             AT(1, 4 * C));
}

static void residual(int i)
{
    residual_fwd(m[0] + AT(i, C), m[1] + AT(i, C), m[2] + AT(i, C),
                 AT(1, C));
}

static void bias_back(int i)    /* no columns in x: only db is computed */
{
    real *dy = m[1 + i / (2 * L)] + AT(i % (2 * L), 9 * C / 4);
    linear_bwd(NULL, m[0], row, dy, m[2], m[3], B * T, 0, 9 * C / 4, true,
               NULL);
}

static void loss(int i)
{
    (void)i;
    crossentropy_fwd(stat, stat + B * T, m[0], tokens, B * T, V, V);
}

static void loss_back(int i)
{
    (void)i;
    crossentropy_bwd(m[0], m[1], stat + B * T, tokens, 1e-3f, B * T, V, V);
}

/* bench-ops: `struct Job`, the table */
struct Job {
    const char *name, *row;     /* ops.ROW in figures/data */
    void (*run)(int call);
    int calls;                  /* in one training step */
    double bytes, flop;         /* of one call, for each element of x,
                                 * at T = 64 */
    int width;                  /* of x */
};

static const struct Job jobs[] = {
    { "copy, the ceiling",  "copy", copy, L, 8, 0, 4 * C },
    { "embedding forward",  "embedding.fwd", embed, 1, 12, 1, C },
    { "embedding backward", "embedding.bwd", embed_back, 1, 20, 2, C },
    { "layernorm forward",  "layernorm.fwd", norm, 2 * L + 1, 8, 7, C },
    { "layernorm backward", "layernorm.bwd", norm_back, 2 * L + 1,
      16, 14, C },
    { "attention forward",  "attention.fwd", attend, L, 16,
      2 * 64, C },
    { "attention backward", "attention.bwd", attend_back, L, 32,
      5 * 64, C },
    { "GELU forward",       "gelu.fwd", gelu, L, 8, 30, 4 * C },
    { "GELU backward",      "gelu.bwd", gelu_back, L, 12, 40, 4 * C },
    { "residual",           "residual", residual, 2 * L, 12, 1, C },
    { "bias backward",      "bias.bwd", bias_back, 4 * L, 4, 1,
      9 * C / 4 },
    { "loss forward",       "loss.fwd", loss, 1, 4, 20, V },
    { "loss backward",      "loss.bwd", loss_back, 1, 8, 20, V },
};

/* bench-ops: time a job */
static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Milliseconds for the calls of one step: median of `repeat`. */
static double time_ms(const struct Job *j, double *t)
{
    for (int r = -1; r < repeat; r++) {
        double start = now_s();
        for (int i = 0; i < j->calls; i++)
            j->run(i);
        t[r < 0 ? 0 : r] = (now_s() - start) * 1e3;
    }
    qsort(t, (size_t)repeat, sizeof *t, by_value);
    return t[repeat / 2];
}

/* bench-ops: main */
static real *numbers(size_t n)
{
    real *p = malloc(n * sizeof *p);
    if (!p)
        fail("no memory for %zu numbers", n);
    for (size_t i = 0; i < n; i++)
        p[i] = (real)((double)(i * 2654435761u % 1024) / 256 - 2);
    return p;
}

static struct Numbers rows;

static void print_job(const struct Job *j, double *t, double copy_rate)
{
    double MB = 1e-6 * j->bytes * j->width * B * T * j->calls;
    double ms = time_ms(j, t);
    printf("%-20s %3d calls  %7.1f MB  %5.1f MFLOP  %7.2f ms  "
           "%6.2f - %6.2f  %6.1f GB/s", j->name, j->calls, MB,
           MB * j->flop / j->bytes, ms, t[0], t[repeat - 1], MB / ms);
    if (copy_rate > 0)
        printf("  by copy %6.2f ms", MB / copy_rate);
    printf("\n");
    fflush(stdout);
    number_put(&rows, "ms", ms, "ops.%s", j->row);
}

SIMD_CLONES
static void our_exp(real *restrict y, const real *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = vexp(x[i]);
}

SIMD_CLONES
static void their_exp(real *restrict y, const real *restrict x, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = (real)expf((float)x[i]);
}

/* One core, an element: ours, and the C library's. */
static void print_exp(void)
{
    enum { N = 65536 };
    double ours = 1e9, theirs = 1e9;
    for (int i = 0; i < N; i++)
        m[0][i] = (real)(i % 1024) / 128 - 4;
    for (int r = 0; r < repeat; r++) {
        double start = now_s();
        our_exp(m[1], m[0], N);
        double middle = now_s();
        their_exp(m[2], m[0], N);
        double end = now_s();
        ours = fmin(ours, (middle - start) / N * 1e9);
        theirs = fmin(theirs, (end - middle) / N * 1e9);
    }
    printf("exp on one core: %.3f ns an element, the library's %.3f ns\n",
           ours, theirs);
    number_put(&rows, "ns", ours, "ops.vexp.time");
    number_put(&rows, "ns", theirs, "ops.expf.time");
}

static const char *out = "", *machine = "";

int main(int argc, char **argv)
{
    threads_stay_put(argv);
    const struct Option options[] = {
        NUMBERS_OPTIONS(out, machine),
        { "batch", OPT_INT, &B, 1, 64, "N", "sequences", NULL },
        { "seq", OPT_INT, &T, 1, 1024, "N", "tokens of each", NULL },
        { "repeat", OPT_INT, &repeat, 1, 999, "N", "timed runs", NULL },
        { .type = OPT_END },
    };
    const struct Usage usage = { "[options]", "time the operators of one "
        "training step of GPT-2 124M, matrix products apart", NULL };
    args_options(argc, argv, options, &usage);
    struct Error e;
    if (!numbers_open(&rows, out, machine, "build/bin/bench-ops", &e))
        fail("%s", e.text);
    /* bench-ops: fill the memory */
    size_t N = (size_t)B * (size_t)T;
    for (int i = 0; i < 4; i++)
        m[i] = numbers(N * V);
    table = numbers((size_t)V * C);
    row = numbers(4 * C);
    stat = numbers(2 * N * NH);
    tokens = malloc(N * sizeof *tokens);
    if (!tokens)
        fail("no memory for %zu tokens", N);
    for (size_t i = 0; i < N; i++)
        tokens[i] = (int32_t)(i * 40503 % V);
    /* bench-ops: run the table */
    double *t = calloc((size_t)repeat, sizeof *t), copy_rate = 0, sum = 0;
    if (!t)
        fail("no memory for %d times", repeat);
    printf("GPT-2 124M, B=%d T=%d, real is %s, median of %d runs\n", B, T,
           sizeof(real) == 4 ? "float" : "double", repeat);
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        print_job(&jobs[i], t, copy_rate);
        double ms = t[repeat / 2];
        if (i == 0)
            copy_rate = 1e-6 * 8 * 4 * C * (double)N * L / ms;
        else
            sum += ms;
    }
    free(t);
    printf("%-20s                         %7.2f ms\n", "all operators", sum);
    number_put(&rows, "ms", sum, "ops.all");
    number_put(&rows, "GB/s", copy_rate, "ops.copy.rate");
    print_exp();
    if (!backend_ok(&e) || !numbers_close(&rows, &e))
        fail("%s", e.text);
    return 0;
}
