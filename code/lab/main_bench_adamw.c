/* Appendix G, The programs: G.9 bench-adamw */
/* Tangled from chapters/g-programs.nw by `make tangle`; edit it there. */

/* bench-adamw: what memory allows, and what the optimiser takes. */
#include "base/arena.h"
#include "base/args.h"
#include "base/clock.h"
#include "base/error.h"
#include "ops/adamw.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE ((int64_t)16384)

static int64_t n = 124439808;
static int runs = 11;

static const struct Option options[] = {
    { "params", OPT_INT64, &n, 1, 1e11, "N", "parameters", NULL },
    { "runs", OPT_INT, &runs, 1, 10000, "N", "repetitions", NULL },
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

static const struct Pass {
    const char *name;
    void (*run)(void);
    double bytes;       /* for each parameter */
} passes[] = {
    { "copy g to m", copy, 8 },
    { "g = 0.999 g, in place", scale, 8 },
    { "sum_squares(g)", norm, 4 },
    { "adamw_update", adamw, 28 },
};
enum { PASSES = sizeof passes / sizeof *passes };

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    program_set_name(argv[0]);
    args_parse(argc, argv, options, &usage);
    struct Arena arena;
    size_t bytes = (size_t)n * sizeof(real);
    arena_create(&arena, 4 * arena_round(bytes), "four arrays");
    w = arena_alloc(&arena, bytes);
    m = arena_alloc(&arena, bytes);
    v = arena_alloc(&arena, bytes);
    g = arena_alloc(&arena, bytes);
    #pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        w[i] = (real)0.02;
        g[i] = (real)1e-3 * (real)(i % 7 - 3);
        m[i] = v[i] = 0;
    }
    double *took = calloc((size_t)runs * PASSES, sizeof *took);
    if (!took)
        fail("out of memory");
    for (int r = -1; r < runs; r++) {
        for (int p = 0; p < PASSES; p++) {
            double start = now_s();
            passes[p].run();
            if (r >= 0)
                took[p * runs + r] = now_s() - start;
        }
    }
    printf("%lld parameters, %d threads, %d runs\n", (long long)n,
           omp_get_max_threads(), runs);
    printf("%-24s %10s %10s %8s\n", "", "best ms", "median", "GB/s");
    for (int p = 0; p < PASSES; p++) {
        double *t = took + p * runs;
        qsort(t, (size_t)runs, sizeof *t, by_size);
        printf("%-24s %10.1f %10.1f %8.1f\n", passes[p].name, t[0] * 1e3,
               t[runs / 2] * 1e3, passes[p].bytes * (double)n / t[0] / 1e9);
    }
    free(took);
    arena_free(&arena);
    return 0;
}
