/* Tangled from chapters/course/roofline-solutions.nw, "Solutions: the roofline".  Edit it there. */

#include "course/course.h"

/* graders of roofline */
static void run_window(struct Run *r)
{
    int n = case_size(r);
    struct Array *x = input_floats(r, "x", (size_t)n, -1, 1);
    struct Array *y = output_floats(r, "y", (size_t)n);
    float *wanted = wanted_floats(r, (size_t)n);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = i - 4; k <= i + 4; k++)
            if (k >= 0 && k < n)
                sum += (double)x->f[k];
        wanted[i] = (float)sum;
    }
    LAUNCH(r, "window", blocks_for((size_t)n, 256), ARRAY(y), ARRAY(x),
           INT(n));
    expect_floats(r, y, wanted, 0, 4e-6);
    budget(r, "sectors read", "gld_sec", 1400, 1086);
    budget(r, "sectors written", "gst_sec", 1024, 1024);
    budget(r, "bank conflicts", "sld_conf+sst_conf", 0, 0);
    budget(r, "barriers (warps arriving)", "barriers", 512, 256);
}

static void run_powers(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_floats(r, "x", n, -1, 1);
    struct Array *c = input_floats(r, "c", 16, -1, 1);
    struct Array *y = output_floats(r, "y", n);
    float *wanted = wanted_floats(r, n);
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 15; k >= 0; k--)
            sum = sum * (double)x->f[i] + (double)c->f[k];
        wanted[i] = (float)sum;
    }
    LAUNCH(r, "powers", blocks_for(n, 256), ARRAY(y), ARRAY(x), ARRAY(c),
           INT((int)n));
    expect_floats(r, y, wanted, 0, 1e-5);
    budget(r, "FLOP", "flop", 2048 * 32, 2048 * 30);
    budget(r, "sectors read", "gld_sec", 256 + 64 * 16, 256 + 64 * 16);
    budget(r, "sectors written", "gst_sec", 256, 256);
}

static void run_batch(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_floats(r, "x", 8 * 64, -1, 1);
    struct Array *w = input_floats(r, "w", 64 * n, -1, 1);
    struct Array *y = output_floats(r, "y", 8 * n);
    float *wanted = wanted_floats(r, 8 * n);
    for (size_t i = 0; i < 8 * n; i++) {
        double sum = 0;
        for (size_t k = 0; k < 64; k++)
            sum += (double)x->f[i / n * 64 + k] *
                   (double)w->f[n * k + i % n];
        wanted[i] = (float)sum;
    }
    LAUNCH(r, "batch", blocks_for(n, 128), ARRAY(y), ARRAY(x), ARRAY(w),
           INT((int)n));
    expect_floats(r, y, wanted, 0, 2e-5);
    budget(r, "sectors read", "gld_sec", 2176, 2176);
    budget(r, "bank conflicts", "sld_conf+sst_conf", 0, 0);
    budget(r, "FLOP", "flop", 2 * 64 * 8 * 256, 2 * 64 * 8 * 256);
    budget(r, "barriers (warps arriving)", "barriers", 16, 8);
}

static void run_steps(struct Run *r)
{
    int n = case_size(r);
    struct Array *x = input_ints(r, "x", (size_t)n, -1000, 1000);
    struct Array *y = output_ints(r, "y", (size_t)n);
    int *once = wanted_ints(r, (size_t)n), *wanted;
    wanted = wanted_ints(r, (size_t)n);
    for (int i = 0; i < n; i++)
        once[i] = (i > 0 ? x->i[i - 1] : 0) +
                  (i + 1 < n ? x->i[i + 1] : 0);
    for (int i = 0; i < n; i++)
        wanted[i] = (i > 0 ? once[i - 1] : 0) +
                    (i + 1 < n ? once[i + 1] : 0);
    LAUNCH(r, "steps", blocks_for((size_t)n, 256), ARRAY(y), ARRAY(x),
           INT(n));
    expect_ints(r, y, wanted);
    budget(r, "sectors read", "gld_sec", 700, 670);
    budget(r, "sectors written", "gst_sec", 512, 512);
    budget(r, "bank conflicts", "sld_conf+sst_conf", 0, 0);
    budget(r, "barriers (warps arriving)", "barriers", 3 * 128, 2 * 128);
}

extern const struct Exercise roofline_exercises[];
const struct Exercise roofline_exercises[] = {
    /* exercises of roofline */
    { .name = "roofline/window", .title = "nine reads of each number",
      .difficulty = 2, .run = run_window,
      .size = { 1, 4, 5, 255, 256, 257, 1001, 8192 }, .largest = 2000,
      .large = 1 << 24,
      .hint = { "A block needs 256 + 8 numbers.  Put them into shared memory.",
                "Each thread loads the number of its own place.  Eight threads "
                "load one more: four before the first, four behind the last.",
                "Beyond the ends of the array the numbers in shared memory are "
                "0.  A barrier belongs before the sums." } },
    { .name = "roofline/powers", .title = "slow: a polynomial",
      .difficulty = 1, .run = run_powers, .size = { 1, 31, 257, 1001, 2048 },
      .largest = 1500,
      .large = 1 << 24,
      .hint = { "Each power is made from the beginning, although the one "
                "before was there already.",
                "c0 + x (c1 + x (c2 + ...)) needs a multiplication and an "
                "addition for each coefficient.  Begin with the last one.",
                "fmaf(sum, x, c) is one instruction and two FLOP." } },
    { .name = "roofline/batch", .title = "eight rows at once",
      .difficulty = 2, .run = run_batch,
      .size = { 1, 31, 127, 129, 200, 256 }, .largest = 200,
      .hint = { "Exchange the loops.  A thread then needs eight sums at once: "
                "an array whose indices are known when the loop is unrolled.",
                "x has 512 numbers and a block 128 threads.  Copy it to shared "
                "memory first; all lanes read the same number of it.",
                "All threads of a block must copy, also those that have no "
                "column." } },
    { .name = "roofline/steps", .title = "broken: two steps in one pass",
      .difficulty = 3, .run = run_steps,
      .size = { 1, 2, 255, 256, 257, 1001, 4096 }, .largest = 2000,
      .large = 1 << 24,
      .hint = { "The sanitizer names two accesses that nothing puts in order.",
                "What is the number before the first after one step, and what "
                "does the kernel compute for it?" } },
    { .name = NULL },
};
