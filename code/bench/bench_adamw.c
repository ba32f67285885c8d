/* Tangled from chapters/workshop/programs.nw, "bench-adamw".  Edit it there. */

/* bench-adamw: what memory allows, and what the optimiser takes. */
#include "backend/backend.h"
#include "base/args.h"
#include "base/clock.h"
#include "base/error.h"
#include "bench/sample.h"
#include "ops/adamw/adamw.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

#define PIECE ((int64_t)16384)

static int64_t n = 124439808;
static int runs = 11;

static const struct Option options[] = {
    { "params", OPT_INT64, &n, 1, 1e11, "N", "parameters", NULL },
    { "runs", OPT_INT, &runs, 1, MAX_RUNS, "N", "repetitions", NULL },
    { .type = OPT_END },
};
static const struct Usage usage = { "[options]",
    "Time AdamW and the gradient's norm beside plain walks over memory.",
    NULL };

static real *w, *m, *v, *g;
static volatile double sink;

SIMD_CLONES
static void scale_piece(real *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        x[i] *= (real)0.999;
}

static int64_t piece_length(int64_t at)
{
    return n - at < PIECE ? n - at : PIECE;
}

static void copy(void)
{
    #pragma omp parallel for schedule(static)
    for (int64_t at = 0; at < n; at += PIECE)
        memcpy(m + at, g + at, (size_t)piece_length(at) * sizeof *m);
}

static void scale(void)
{
    #pragma omp parallel for schedule(static)
    for (int64_t at = 0; at < n; at += PIECE)
        scale_piece(g + at, piece_length(at));
}

static void norm(void)
{
    sink = sum_squares(g, (size_t)n);
}

static void adamw(void)
{
    const struct AdamwStep s = { .lr = 1e-4, .beta1 = 0.9, .beta2 = 0.95,
        .eps = 1e-8, .decay = 0.1, .scale = 0.5, .step = 100 };
    adamw_update(w, m, v, g, (size_t)n, &s);
}

static struct Pass {
    const char *name;
    void (*run)(void);
    double bytes;       /* for each parameter */
    struct Sample took;
} passes[] = {
    { "copy g to m", copy, 8, { 0 } },
    { "g = 0.999 g, in place", scale, 8, { 0 } },
    { "sum_squares(g)", norm, 4, { 0 } },
    { "adamw_update", adamw, 28, { 0 } },
};
enum { PASSES = sizeof passes / sizeof *passes };

int main(int argc, char **argv)
{
    args_options(argc, argv, options, &usage);
    real **const arrays[] = { &w, &m, &v, &g };
    for (int i = 0; i < 4; i++)
        *arrays[i] = backend_alloc((size_t)n * sizeof(real), "an array");
    struct Error e;
    if (!backend_ok(&e))
        fail("%s", e.text);
    #pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        w[i] = (real)0.02;
        g[i] = (real)1e-3 * (real)(i % 7 - 3);
        m[i] = v[i] = 0;
    }
    for (int r = -1; r < runs; r++) {
        for (int p = 0; p < PASSES; p++) {
            double start = now_s();
            passes[p].run();
            if (r >= 0)
                sample_add(&passes[p].took, now_s() - start);
        }
    }
    printf("%lld parameters, %d threads, %d runs\n", (long long)n,
           omp_get_max_threads(), runs);
    printf("%-24s %10s %10s %8s\n", "", "best ms", "median", "GB/s");
    for (int p = 0; p < PASSES; p++) {
        const struct Sample *t = &passes[p].took;
        printf("%-24s %10.1f %10.1f %8.1f\n", passes[p].name,
               fastest(t) * 1e3, median(t) * 1e3,
               passes[p].bytes * (double)n / fastest(t) / 1e9);
    }
    for (int i = 0; i < 4; i++)
        backend_free(*arrays[i]);
    return 0;
}
