/* Tangled from chapters/workshop/first-programs.nw, "systolic: an array in a page of C".  Edit it there. */

/* systolic: a matrix product on a simulated systolic array. */
#include <stdio.h>
#include <stdlib.h>
#include "base/alloc.h"
#include "base/args.h"
#include "base/error.h"
#include "lessons/systolic_array.h"

/* the options of systolic */
static int R = 128, C = 128, M = 128, K = 128, N = 128;
static bool trace;

static const struct Option options[] = {
    { "rows", OPT_INT, &R, 1, SYSTOLIC_MAX, "R", "rows of cells", NULL },
    { "columns", OPT_INT, &C, 1, SYSTOLIC_MAX, "C",
      "columns of cells", NULL },
    { "m", OPT_INT, &M, 1, 65536, "M", "rows of x and y", NULL },
    { "k", OPT_INT, &K, 1, 65536, "K", "columns of x, rows of w", NULL },
    { "n", OPT_INT, &N, 1, 65536, "N", "columns of w and y", NULL },
    { "trace", OPT_FLAG, &trace, 0, 0, NULL,
      "draw which row of x is in which cell", NULL },
    { .type = OPT_END },
};

static const struct Usage usage = {
    "[options]", "Count the cycles of y = x w on a systolic array.", NULL
};

int main(int argc, char **argv)
{
    args_options(argc, argv, options, &usage);
    struct Systolic s = systolic_new(R, C);
    s.trace = trace ? stdout : NULL;
    /* multiply two matrices of small integers */
    float *x = xcalloc((size_t)M * (size_t)K, sizeof *x);
    float *w = xcalloc((size_t)K * (size_t)N, sizeof *w);
    float *y = xcalloc((size_t)M * (size_t)N, sizeof *y);
    for (size_t i = 0; i < (size_t)M * (size_t)K; i++)
        x[i] = (float)(i * 7 % 11) - 5;
    for (size_t i = 0; i < (size_t)K * (size_t)N; i++)
        w[i] = (float)(i * 5 % 13) - 6;
    systolic_matmul(&s, y, x, w, M, K, N);
    free(x);
    free(w);
    free(y);
    /* print what it took */
    double cells = (double)R * C;
    printf("%llu cycles, %llu multiply-adds: %.3g in a cycle, %.3g %% of "
           "%dx%d cells\n", (unsigned long long)s.cycles,
           (unsigned long long)s.useful, (double)s.useful / (double)s.cycles,
           100 * (double)s.useful / (double)s.cycles / cells, R, C);
    systolic_free(&s);
    return 0;
}
