/* Tangled from chapters/course/project-solutions.nw, "Solutions: projects".  Edit it there. */

#include "course/course.h"

#include <math.h>

/* graders of projects */
static void want_statistics(float *y, const float *x, size_t n)
{
    double mean = 0, squares = 0;
    y[2] = y[3] = x[0];
    for (size_t i = 0; i < n; i++) {
        mean += (double)x[i] / (double)n;
        y[2] = fminf(y[2], x[i]);
        y[3] = fmaxf(y[3], x[i]);
    }
    for (size_t i = 0; i < n; i++)
        squares += ((double)x[i] - mean) * ((double)x[i] - mean);
    y[0] = (float)mean;
    y[1] = (float)(squares / (double)n);
}

static void run_reduction(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_floats(r, "x", n, -1, 1);
    float far = (float)case_random(r, -4, 4) * 1000;
    for (size_t i = 0; i < n; i++)
        x->f[i] += far;
    refill(r, x);
    struct Array *parts = output_floats(r, "parts", 16 * 4);
    struct Array *y = output_floats(r, "y", 4);
    float *wanted = wanted_floats(r, 4);
    want_statistics(wanted, x->f, n);
    struct Shape blocks = { { 16, 1, 1 }, { 256, 1, 1 }, 0 };
    struct Shape warp = { { 1, 1, 1 }, { 32, 1, 1 }, 0 };
    LAUNCH(r, "partial", blocks, ARRAY(parts), ARRAY(x), INT((int)n));
    LAUNCH(r, "combine", warp, ARRAY(y), ARRAY(parts), ARRAY(x),
           INT((int)n));
    expect_floats(r, y, wanted, 1e-4, 2e-3);
    expect(r, fabs((double)y->f[1] - (double)wanted[1]) <=
                  1e-4 * (double)wanted[1] + 1e-6,
           "the variance y[1] is %.6g, expected %.6g", (double)y->f[1],
           (double)wanted[1]);
    budget(r, "sectors read", "gld_sec", 1.05 * 8192, 8329);
    budget(r, "requests to read", "gld_req", 1024, 642);
    budget(r, "bytes of atomic operations", "gatom_bytes+gred_bytes", 0, 0);
    budget(r, "barriers (warps arriving)", "barriers", 16 * 8 * 9, 128);
}

static void run_matmul(struct Run *r)
{
    int m = case_size(r), n = case_random(r, 1, 100);
    int k = case_random(r, 1, 100);
    if (case_counted(r))
        n = 192, k = 64;
    struct Array *a = input_floats(r, "a", (size_t)(m * k), -1, 1);
    struct Array *b = input_floats(r, "b", (size_t)(k * n), -1, 1);
    struct Array *c = output_floats(r, "c", (size_t)(m * n));
    float *wanted = wanted_floats(r, (size_t)(m * n));
    for (int i = 0; i < m * n; i++) {
        double sum = 0;
        for (int p = 0; p < k; p++)
            sum += (double)a->f[i / n * k + p] *
                   (double)b->f[p * n + i % n];
        wanted[i] = (float)sum;
    }
    struct Shape tiles = { { (unsigned)(n + 63) / 64,
                             (unsigned)(m + 63) / 64, 1 },
                           { 256, 1, 1 }, 0 };
    LAUNCH(r, "matmul", tiles, ARRAY(c), ARRAY(a), ARRAY(b), INT(m), INT(n),
           INT(k));
    expect_floats(r, c, wanted, 0, 4e-5);
    budget(r, "sectors read", "gld_sec", 1.5 * 6144, 6144);
    budget(r, "requests to read", "gld_req", 1.5 * 1536, 1536);
    budget(r, "sectors written", "gst_sec", 1.5 * 3072, 3072);
    budget(r, "shared loads: wavefronts", "sld_wave", 1.5 * 18432, 18432);
    budget(r, "shared stores: wavefronts", "sst_wave", 1.5 * 1536, 1536);
    budget(r, "barriers (warps arriving)", "barriers", 1.5 * 384, 384);
}

extern const struct Exercise project_exercises[];
const struct Exercise project_exercises[] = {
    /* exercises of projects */
    { .name = "project/reduction", .title = "four numbers in one read",
      .difficulty = 3, .run = run_reduction,
      .size = { 1, 3, 31, 255, 1025, 4097, 10001, 65536 }, .largest = 20000,
      .hint = { "How many sectors does x have, and how many may be read?  So "
                "each number is read once, and the mean is not known then.",
                "The sum of squares less the square of the sum loses all "
                "digits near 4000.  The variance does not change if the same "
                "number is subtracted from all x[i].",
                "x[0] is such a number, and x[i] - x[0] has no error that "
                "matters.  One lane of a warp can read it for all.",
                "Four sums or extremes for each thread, then for each warp by "
                "shuffles, for each block through shared memory, and the 16 "
                "blocks in one warp of `combine`.",
                "Loads of float4 for all but the last numbers: those are "
                "n % 4, one thread for each." } },
    { .name = "project/matmul", .title = "a matmul with tiles and registers",
      .difficulty = 5, .run = run_matmul,
      .size = { 1, 15, 63, 64, 65, 100, 128 }, .largest = 90,
      .hint = { "How many wavefronts does a thread need for a multiplication? "
                "With 4 x 4 results in registers, 8 numbers serve 16 "
                "multiplications.",
                "A tile of 64 x 16 of a and one of 16 x 64 of b are 8 KB.  "
                "Each thread loads four numbers of each.",
                "A thread that owns four neighbouring columns of c loads four "
                "numbers of b as one float4.  For the same with a, store its "
                "tile turned around.",
                "The turned tile is stored in columns.  Which width of its "
                "rows keeps these stores out of each other's banks, and the "
                "loads aligned?  66, with loads of float2.",
                "Rows and columns beyond the edges: put zeros into the tiles, "
                "and do not write what is beyond." } },
    { .name = NULL },
};
