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

extern const struct Exercise throughput_machine_exercises[];
const struct Exercise throughput_machine_exercises[] = {
    /* exercises of throughput-machine */
    { .name = "throughput-machine/add", .title = "a first kernel",
      .difficulty = 1, .run = run_add, .size = { 1, 255, 256, 257, 10000 },
      .largest = 3000,
      .hint = { "The number of a thread in the grid is blockIdx.x * "
                "blockDim.x + threadIdx.x.",
                "A thread whose number is n or more has no element: it must "
                "neither read nor write." } },
    { .name = "throughput-machine/stride",
      .title = "a grid that is smaller than the work",
      .difficulty = 2, .run = run_stride,
      .size = { 1, 511, 512, 513, 5000, 8192 }, .largest = 3000,
      .hint = { "Write down which elements the 32 lanes of a warp read in "
                "their first iteration.  How many sectors is that?",
                "In each iteration neighbouring threads should have "
                "neighbouring elements.",
                "Begin at the thread's number in the grid, and go on by the "
                "number of threads in the grid." } },
    { .name = NULL },
};
