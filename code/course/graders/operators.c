/* Tangled from chapters/course/operators-solutions.nw, "Solutions: the operators".  Edit it there. */

#include "course/course.h"

#include <math.h>

/* graders of operators */
static struct Shape one_thread(void)
{
    return (struct Shape){ .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };
}

static void run_relu2(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_floats(r, "x", n, -2, 2);
    struct Array *dy = input_floats(r, "dy", n, -1, 1);
    struct Array *y = output_floats(r, "y", n);
    struct Array *dx = in_place(input_floats(r, "dx", n, -1, 1));
    float *wanted_y = wanted_floats(r, n), *wanted_dx = wanted_floats(r, n);
    for (size_t i = 0; i < n; i++) {
        float v = x->f[i] > 0 ? x->f[i] : 0;
        wanted_y[i] = v * v;
        wanted_dx[i] = dx->f[i] + 2 * v * dy->f[i];
    }
    LAUNCH(r, "forward", one_thread(), ARRAY(y), ARRAY(x), INT((int)n));
    LAUNCH(r, "backward", one_thread(), ARRAY(dx), ARRAY(dy), ARRAY(x),
           INT((int)n));
    expect_floats(r, y, wanted_y, 1e-6, 0);
    expect_floats(r, dx, wanted_dx, 0, 2e-6);
    budget_lines(r, 2560, 2560);
}

static void run_bias_backward(struct Run *r)
{
    int rows = case_size(r), columns = case_random(r, 1, 100);
    if (case_counted(r))
        columns = 256;
    size_t n = (size_t)rows * (size_t)columns;
    struct Array *dy = input_floats(r, "dy", n, -1, 1);
    struct Array *dbias = in_place(input_floats(r, "dbias",
                                                (size_t)columns, -1, 1));
    float *wanted = wanted_floats(r, (size_t)columns);
    for (int c = 0; c < columns; c++) {
        double sum = (double)dbias->f[c];
        for (int i = 0; i < rows; i++)
            sum += (double)dy->f[i * columns + c];
        wanted[c] = (float)sum;
    }
    LAUNCH(r, "bias_backward", one_thread(), ARRAY(dbias), ARRAY(dy),
           INT(rows), INT(columns));
    expect_floats(r, dbias, wanted, 0, 1e-4);
    budget_lines(r, 1040, 1040);
}

static void run_softmax(struct Run *r)
{
    int rows = case_size(r), columns = case_random(r, 1, 40);
    if (case_counted(r))
        columns = 32;
    size_t n = (size_t)rows * (size_t)columns;
    struct Array *x = input_floats(r, "x", n, -2, 2);
    bool far = case_random(r, 0, 2) || case_counted(r);
    for (int i = 0; far && i < rows * columns; i++)
        x->f[i] += i / columns % 2 ? 150 : -150;
    refill(r, x);
    struct Array *dp = input_floats(r, "dp", n, -1, 1);
    struct Array *p = output_floats(r, "p", n);
    struct Array *dx = in_place(input_floats(r, "dx", n, -1, 1));
    float *wanted_p = wanted_floats(r, n), *wanted_dx = wanted_floats(r, n);
    for (int i = 0; i < rows * columns; i += columns) {
        double sum = 0, dot = 0;            /* double has no overflow yet */
        for (int c = i; c < i + columns; c++)
            sum += exp((double)x->f[c]);
        for (int c = i; c < i + columns; c++)
            dot += exp((double)x->f[c]) / sum * (double)dp->f[c];
        for (int c = i; c < i + columns; c++) {
            double mine = exp((double)x->f[c]) / sum;
            wanted_p[c] = (float)mine;
            wanted_dx[c] = (float)((double)dx->f[c] +
                                   mine * ((double)dp->f[c] - dot));
        }
    }
    LAUNCH(r, "forward", one_thread(), ARRAY(p), ARRAY(x), INT(rows),
           INT(columns));
    LAUNCH(r, "backward", one_thread(), ARRAY(dx), ARRAY(dp), ARRAY(p),
           INT(rows), INT(columns));
    expect_floats(r, p, wanted_p, 0, 2e-6);
    expect_floats(r, dx, wanted_dx, 0, 4e-6);
    budget_lines(r, 140, 128);
}

static void run_rmsnorm(struct Run *r)
{
    int rows = case_size(r), columns = case_random(r, 1, 60);
    if (case_counted(r))
        columns = 64;
    size_t n = (size_t)rows * (size_t)columns;
    struct Array *x = input_floats(r, "x", n, -2, 2);
    struct Array *dy = input_floats(r, "dy", n, -1, 1);
    struct Array *y = output_floats(r, "y", n);
    struct Array *scale = output_floats(r, "scale", (size_t)rows);
    struct Array *dx = in_place(input_floats(r, "dx", n, -1, 1));
    float *wanted_y = wanted_floats(r, n), *wanted_dx = wanted_floats(r, n);
    for (int i = 0; i < rows * columns; i += columns) {
        double squares = 0, dot = 0;
        for (int c = i; c < i + columns; c++) {
            squares += (double)x->f[c] * (double)x->f[c];
            dot += (double)dy->f[c] * (double)x->f[c];
        }
        double s = 1 / sqrt(squares / columns + 1e-5);
        for (int c = i; c < i + columns; c++) {
            double v = (double)x->f[c];
            wanted_y[c] = (float)(v * s);
            wanted_dx[c] = (float)((double)dx->f[c] + s *
                ((double)dy->f[c] - v * s * s * dot / columns));
        }
    }
    LAUNCH(r, "forward", one_thread(), ARRAY(y), ARRAY(scale), ARRAY(x),
           INT(rows), INT(columns));
    LAUNCH(r, "backward", one_thread(), ARRAY(dx), ARRAY(dy), ARRAY(x),
           ARRAY(scale), INT(rows), INT(columns));
    expect_floats(r, y, wanted_y, 1e-5, 1e-6);
    expect_floats(r, dx, wanted_dx, 1e-4, 1e-3);
    budget_lines(r, 270, 257);
}

extern const struct Exercise operators_exercises[];
const struct Exercise operators_exercises[] = {
    /* exercises of operators */
    { .name = "operators/relu2", .title = "a forward and a backward pass",
      .difficulty = 1, .run = run_relu2,
      .size = { 1, 2, 15, 100, 8192 }, .largest = 500,
      .hint = { "The derivative of x^2 is 2 x.  What is the derivative of "
                "y by x where x is negative?",
                "The chain rule: dx[i] grows by dy[i] times the "
                "derivative of y[i] by x[i]." } },
    { .name = "operators/bias", .title = "slow: the gradient of a bias, in C",
      .difficulty = 1, .run = run_bias_backward,
      .size = { 1, 2, 7, 33, 64 },
      .largest = 60,
      .hint = { "Neighbouring numbers of a row share a line.",
                "The inner loop should go along a row.  dbias is small "
                "and stays in the cache." } },
    { .name = "operators/softmax", .title = "broken: softmax and its gradient",
      .difficulty = 2, .run = run_softmax,
      .size = { 1, 2, 5, 16 }, .largest = 15,
      .hint = { "What is expf(90)?  A softmax does not change if the same "
                "number is subtracted from all of its row.",
                "Each p[k] depends on each x[c], so dx[c] is a sum over "
                "k.  The derivative of p[k] by x[c] is p[k] (1 - p[k]) if "
                "k is c, and -p[k] p[c] otherwise.",
                "The sum is p[c] times (dp[c] - the sum of all p[k] "
                "dp[k])." } },
    { .name = "operators/rmsnorm", .title = "RMSNorm and its gradient",
      .difficulty = 3, .run = run_rmsnorm,
      .size = { 1, 2, 5, 17, 16 }, .largest = 15,
      .hint = { "x[c] acts in two ways: on y[c] directly, and on all y of "
                "its row through s.",
                "s = (m + 1e-5)^(-1/2) with m the mean of squares.  Its "
                "derivative by x[c] is -s^3 x[c] / columns.",
                "dx[c] += s dy[c] - s^3 x[c] / columns * the sum of all "
                "dy[k] x[k]." } },
    { .name = NULL },
};
