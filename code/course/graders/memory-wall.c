/* Tangled from chapters/course/memory-wall-solutions.nw, "Solutions: the memory wall".  Edit it there. */

#include "course/course.h"

#include <math.h>

/* graders of memory-wall */
static const struct Shape one_thread = { { 1, 1, 1 }, { 1, 1, 1 }, 0 };

static void run_columns(struct Run *r)
{
    int rows = case_size(r);
    int columns = case_counted(r) ? 64 : case_random(r, 1, 70);
    struct Array *x = input_floats(r, "x", (size_t)(rows * columns), -1, 1);
    struct Array *y = output_floats(r, "y", (size_t)columns);
    float *wanted = wanted_floats(r, (size_t)columns);
    for (int c = 0; c < columns; c++) {
        double sum = 0;
        for (int i = 0; i < rows; i++)
            sum += (double)x->f[i * columns + c];
        wanted[c] = (float)sum;
    }
    LAUNCH(r, "column_sums", one_thread, ARRAY(y), ARRAY(x), INT(rows),
           INT(columns));
    expect_floats(r, y, wanted, 0, 1e-4);
    budget_lines(r, 2500, 2404);
}

static void run_passes(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    float a = 0.25f * (float)case_random(r, 1, 20);
    struct Array *x = input_floats(r, "x", n, -1, 1);
    struct Array *b = input_floats(r, "b", n, -1, 1);
    struct Array *y = output_floats(r, "y", n);
    float *wanted = wanted_floats(r, n);
    b->f[n / 2] = NAN;
    refill(r, b);
    for (size_t i = 0; i < n; i++) {
        wanted[i] = a * x->f[i] + b->f[i];
        if (wanted[i] < 0)
            wanted[i] = 0;
    }
    LAUNCH(r, "shift", one_thread, ARRAY(y), ARRAY(x), ARRAY(b), FLOAT(a),
           INT((int)n));
    expect_floats(r, y, wanted, 1e-6, 1e-6);
    budget_lines(r, 3200, 3072);
}

static void run_transpose(struct Run *r)
{
    int rows = case_size(r);
    int columns = case_counted(r) ? 128 : case_random(r, 1, 100);
    size_t n = (size_t)(rows * columns);
    struct Array *x = input_floats(r, "x", n, -1, 1);
    struct Array *y = output_floats(r, "y", n);
    float *wanted = wanted_floats(r, n);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++)
            wanted[k * rows + i] = x->f[i * columns + k];
    LAUNCH(r, "transpose", one_thread, ARRAY(y), ARRAY(x), INT(rows),
           INT(columns));
    expect_floats(r, y, wanted, 0, 0);
    budget_lines(r, 2200, 2048);
}

static void run_smooth(struct Run *r)
{
    int n = case_size(r);
    struct Array *x = in_place(input_floats(r, "x", (size_t)n, -1, 1));
    float *wanted = wanted_floats(r, (size_t)n);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        int of = 0;
        for (int k = i - 1; k <= i + 1; k++)
            if (k >= 0 && k < n) {
                sum += (double)x->f[k];
                of++;
            }
        wanted[i] = (float)(sum / of);
    }
    LAUNCH(r, "smooth", one_thread, ARRAY(x), INT(n));
    expect_floats(r, x, wanted, 0, 1e-6);
    budget_lines(r, 1100, 1024);
}

extern const struct Exercise memory_wall_exercises[];
const struct Exercise memory_wall_exercises[] = {
    /* exercises of memory-wall */
    { .name = "memory-wall/columns", .title = "slow: the sums of columns",
      .difficulty = 2, .run = run_columns,
      .size = { 1, 31, 33, 100, 600 }, .largest = 300,
      .hint = { "How far apart are two elements of a column, in bytes?  How "
                "many lines has a column of 600 elements?",
                "Walk along the rows.  The sums of all columns then grow "
                "together, and they are few enough to stay in the cache." } },
    { .name = "memory-wall/passes", .title = "three passes over an array",
      .difficulty = 1, .run = run_passes,
      .size = { 1, 31, 100, 1001, 16384 }, .largest = 3000,
      .hint = { "Count the lines of each loop.  Which lines does the second "
                "loop fetch that the first had?",
                "All that happens to an element can happen while it is in a "
                "register." } },
    { .name = "memory-wall/transpose", .title = "a transpose for a processor",
      .difficulty = 3, .run = run_transpose,
      .size = { 1, 15, 16, 17, 50, 128 }, .largest = 100,
      .hint = { "A line that is fetched for one element has fifteen others "
                "that will be needed, but too late.",
                "Go through the matrix in square tiles, so small that the "
                "lines of both tiles fit into the cache.",
                "The elements of a column of 128 are 512 bytes apart, so they "
                "share 8 of the 64 sets: only 64 of its lines can stay." } },
    { .name = "memory-wall/smooth", .title = "broken: a mean in place",
      .difficulty = 1, .run = run_smooth,
      .size = { 1, 2, 3, 31, 1000, 16384 }, .largest = 3000,
      .hint = { "Print x for n = 4.  Which value of x[0] does x[1] use?",
                "Two variables are enough: the old element before, and the one "
                "here." } },
    { .name = NULL },
};
