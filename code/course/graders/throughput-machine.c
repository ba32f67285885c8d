/* Tangled from chapters/course/throughput-machine-solutions.nw, "Solutions: the throughput machine".  Edit it there. */

#include "course/course.h"

/* graders of throughput-machine */
static void run_add(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_floats(r, "x", n, -1, 1);
    struct Array *y = input_floats(r, "y", n, -1, 1);
    struct Array *z = output_floats(r, "z", n);
    float *wanted = wanted_floats(r, n);
    for (size_t i = 0; i < n; i++)
        wanted[i] = x->f[i] + y->f[i];
    LAUNCH(r, "add", blocks_for(n, 256), ARRAY(z), ARRAY(x), ARRAY(y),
           INT((int)n));
    expect_floats(r, z, wanted, 0, 0);
    budget(r, "sectors read", "gld_sec", 2 * 1250, 2 * 1250);
    budget(r, "sectors written", "gst_sec", 1250, 1250);
}

static void run_stride(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_floats(r, "x", n, -1, 1);
    struct Array *y = output_floats(r, "y", n);
    float *wanted = wanted_floats(r, n);
    float a = 0.25f * (float)case_random(r, 1, 20);
    for (size_t i = 0; i < n; i++)
        wanted[i] = a * x->f[i];
    struct Shape four = { { 4, 1, 1 }, { 128, 1, 1 }, 0 };
    LAUNCH(r, "scale", four, ARRAY(y), ARRAY(x), FLOAT(a), INT((int)n));
    expect_floats(r, y, wanted, 0, 0);
    budget(r, "sectors read", "gld_sec", 1024, 1024);
    budget(r, "sectors written", "gst_sec", 1024, 1024);
}

static void run_mirror(struct Run *r)
{
    int height = case_size(r), width = case_random(r, 1, 100);
    if (case_counted(r))
        width = 96;
    size_t n = (size_t)width * (size_t)height;
    struct Array *x = input_array(r, "x", ARRAY_BYTE, n);
    struct Array *y = output_array(r, "y", ARRAY_BYTE, n);
    uint8_t *wanted = (uint8_t *)wanted_ints(r, (n + 3) / 4);
    for (size_t i = 0; i < n; i++)
        x->b[i] = (uint8_t)case_random(r, 0, 256);
    refill(r, x);
    for (int i = 0; i < height; i++)
        for (int c = 0; c < width; c++)
            wanted[i * width + c] = x->b[i * width + width - 1 - c];
    struct Shape shape = {
        .grid = { (unsigned)(width + 31) / 32, (unsigned)(height + 7) / 8,
                  1 },
        .block = { 32, 8, 1 } };
    LAUNCH(r, "mirror", shape, ARRAY(y), ARRAY(x), INT(width), INT(height));
    expect_bits(r, y, wanted);
    budget(r, "requests to read", "gld_req", 96, 96);
    budget(r, "sectors read", "gld_sec", 96, 96);
    budget(r, "sectors written", "gst_sec", 96, 96);
}

static void run_differences(struct Run *r)
{
    int n = case_size(r);
    struct Array *x = input_floats(r, "x", (size_t)n, -1, 1);
    struct Array *y = output_floats(r, "y", (size_t)n - 1);
    float *wanted = wanted_floats(r, (size_t)n - 1);
    for (int i = 0; i + 1 < n; i++)
        wanted[i] = x->f[i + 1] - x->f[i];
    struct Shape shape = blocks_for((size_t)n, 256);
    if (case_random(r, 0, 2) || case_counted(r))
        shape.grid.x = (shape.grid.x + 2) / 3;
    LAUNCH(r, "differences", shape, ARRAY(y), ARRAY(x), INT(n));
    expect_floats(r, y, wanted, 0, 0);
    budget(r, "requests to read", "gld_req", 130, 128);
    budget(r, "sectors read", "gld_sec", 600, 575);
    budget(r, "sectors written", "gst_sec", 256, 256);
}

extern const struct Exercise throughput_machine_exercises[];
const struct Exercise throughput_machine_exercises[] = {
    /* exercises of throughput-machine */
    { .name = "throughput-machine/add", .title = "a first kernel",
      .difficulty = 1, .run = run_add, .size = { 1, 255, 256, 257, 10000 },
      .largest = 3000,
      .large = 1 << 24,
      .hint = { "The number of a thread in the grid is blockIdx.x * "
                "blockDim.x + threadIdx.x.",
                "A thread whose number is n or more has no element: it must "
                "neither read nor write." } },
    { .name = "throughput-machine/stride",
      .title = "slow: a grid smaller than the work",
      .difficulty = 2, .run = run_stride,
      .size = { 1, 511, 512, 513, 5000, 8192 }, .largest = 3000,
      .hint = { "Write down which elements the 32 lanes of a warp read in "
                "their first iteration.  How many sectors is that?",
                "In each iteration neighbouring threads should have "
                "neighbouring elements.",
                "Begin at the thread's number in the grid, and go on by the "
                "number of threads in the grid." } },
    { .name = "throughput-machine/mirror", .title = "a grid of two dimensions",
      .difficulty = 1, .run = run_mirror, .size = { 1, 7, 8, 9, 33, 32 },
      .largest = 40,
      .hint = { "The place of a thread in the whole grid is blockIdx times "
                "blockDim plus threadIdx, for x and for y.",
                "The blocks at the right and at the lower side have threads "
                "without a pixel." } },
    { .name = "throughput-machine/differences",
      .title = "broken: the last thread",
      .difficulty = 1, .run = run_differences,
      .size = { 2, 3, 256, 257, 258, 1001, 2048 }, .largest = 2000,
      .large = 1 << 24,
      .hint = { "What does the thread with i = n - 1 compute?",
                "A do loop computes before it asks." } },
    { .name = NULL },
};
