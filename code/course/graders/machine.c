/* Tangled from chapters/course/machine-solutions.nw, "Solutions: the machine".  Edit it there. */

/* The coding exercises of part I. */
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

/* graders of memory-hierarchy */
static void run_transpose(struct Run *r)
{
    int rows = case_size(r);
    int columns = case_counted(r) ? 192 : case_random(r, 1, 100);
    size_t n = (size_t)rows * (size_t)columns;
    struct Array *x = input_floats(r, "x", n, -1, 1);
    struct Array *y = output_floats(r, "y", n);
    float *wanted = wanted_floats(r, n);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++)
            wanted[k * rows + i] = x->f[i * columns + k];
    struct Shape tiles = { { (uint32_t)(columns + 31) / 32,
                             (uint32_t)(rows + 31) / 32, 1 },
                           { 32, 8, 1 }, 0 };
    LAUNCH(r, "transpose", tiles, ARRAY(y), ARRAY(x), INT(rows),
           INT(columns));
    expect_floats(r, y, wanted, 0, 0);
    budget(r, "sectors read", "gld_sec", 3072, 3072);
    budget(r, "sectors written", "gst_sec", 3072, 3072);
    budget(r, "bank conflicts", "sld_conf+sst_conf", 0, 0);
    budget(r, "barriers (warps arriving)", "barriers", 400, 192);
}

/* graders of warps */
static void run_warp_sums(struct Run *r)
{
    size_t n = (size_t)case_size(r), warps = (n + 31) / 32;
    struct Array *x = input_floats(r, "x", n, -1, 1);
    struct Array *y = output_floats(r, "y", warps);
    float *wanted = wanted_floats(r, warps);
    for (size_t w = 0; w < warps; w++) {
        double sum = 0;
        for (size_t i = 32 * w; i < n && i < 32 * w + 32; i++)
            sum += (double)x->f[i];
        wanted[w] = (float)sum;
    }
    LAUNCH(r, "warp_sums", blocks_for(n, 128), ARRAY(y), ARRAY(x),
           INT((int)n));
    expect_floats(r, y, wanted, 0, 1e-5);
    budget(r, "sectors read", "gld_sec", 512, 512);
    budget(r, "warp instructions", "inst", 128 * 45, 128 * 37);
    budget(r, "shared memory requests", "sld_req+sst_req", 0, 0);
}

/* graders of counting */
static void run_fields(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *p = input_floats(r, "p", 4 * n, -1, 1);
    struct Array *y = output_floats(r, "y", n);
    float *wanted = wanted_floats(r, n);
    for (size_t i = 0; i < n; i++)
        wanted[i] = p->f[4 * i] + p->f[4 * i + 1] + p->f[4 * i + 2] +
                    p->f[4 * i + 3];
    LAUNCH(r, "add_fields", blocks_for(n, 256), ARRAY(y), ARRAY(p),
           INT((int)n));
    expect_floats(r, y, wanted, 0, 1e-6);
    budget(r, "sectors read", "gld_sec", 1024, 1024);
    budget(r, "requests to read", "gld_req", 64, 64);
}

/* graders of races */
static void run_reverse(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = in_place(input_floats(r, "x", n, -1, 1));
    float *wanted = wanted_floats(r, n);
    for (size_t i = 0; i < n; i++) {
        size_t first = i / 256 * 256;
        size_t count = n - first < 256 ? n - first : 256;
        wanted[i] = x->f[first + count - 1 - (i - first)];
    }
    LAUNCH(r, "reverse", blocks_for(n, 256), ARRAY(x), INT((int)n));
    expect_floats(r, x, wanted, 0, 0);
    budget(r, "barriers (warps arriving)", "barriers", 64, 64);
    budget(r, "sectors of global memory", "gld_sec+gst_sec", 512, 512);
}

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

/* graders of profiling */
static void run_rotate(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_floats(r, "x", 4 * n, -1, 1);
    struct Array *by = input_ints(r, "by", n, 0, 4);
    struct Array *y = output_floats(r, "y", 4 * n);
    float *wanted = wanted_floats(r, 4 * n);
    for (size_t g = 0; g < n; g++)
        for (size_t j = 0; j < 4; j++)
            wanted[4 * g + (j + (size_t)by->i[g]) % 4] = x->f[4 * g + j];
    LAUNCH(r, "rotate", blocks_for(n, 256), ARRAY(y), ARRAY(x), ARRAY(by),
           INT((int)n));
    expect_floats(r, y, wanted, 0, 0);
    budget(r, "local memory: sectors", "lld_sec+lst_sec", 0, 0);
    budget(r, "sectors read", "gld_sec", 1280, 1280);
    budget(r, "sectors written", "gst_sec", 1024, 1024);
    budget(r, "requests", "gld_req+gst_req", 192, 192);
    budget(r, "branches that split a warp", "branch_div", 0, 0);
}

extern const struct Exercise part1_exercises[];
const struct Exercise part1_exercises[] = {
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
    /* exercises of memory-hierarchy */
    { .name = "memory-hierarchy/transpose",
      .title = "a transpose without waste",
      .difficulty = 3, .run = run_transpose,
      .size = { 1, 31, 32, 33, 70, 128 }, .largest = 100,
      .hint = { "Either the loads or the stores are along a row, never both. "
                "Something has to turn the tile in between.",
                "Load the tile into shared memory along its rows, wait for all "
                "threads, and store it along its columns.",
                "32 lanes that read a column of a 32 x 32 tile are all in one "
                "bank.  A 33rd column moves each row by one bank." } },
    /* exercises of warps */
    { .name = "warps/sum", .title = "the sum of a warp in five steps",
      .difficulty = 2, .run = run_warp_sums,
      .size = { 1, 31, 32, 33, 100, 4096 }, .largest = 1000,
      .hint = { "__shfl_down_sync(0xffffffff, value, d) gives a lane the value "
                "of the lane d places above.",
                "After steps with d = 16, 8, 4, 2, 1 lane 0 has the sum.",
                "All 32 lanes must take part, those beyond n as well: give "
                "them a 0, and return nowhere before the shuffles." } },
    /* exercises of counting */
    { .name = "counting/fields", .title = "what four loads of a struct cost",
      .difficulty = 2, .run = run_fields, .size = { 1, 33, 255, 1000, 2048 },
      .largest = 3000,
      .hint = { "In one request 32 lanes read four bytes each, 16 bytes apart. "
                "How many sectors do they touch, and how much of each?",
                "A lane can load 16 bytes with one instruction: float4.",
                "*(const float4 *)(p + i) is such a load; p[i] is aligned to "
                "16 bytes." } },
    /* exercises of races */
    { .name = "races/reverse", .title = "broken: a block turned around",
      .difficulty = 1, .run = run_reverse,
      .size = { 1, 32, 33, 255, 256, 257, 1000, 2048 }, .largest = 2000,
      .hint = { "A thread reads what another thread has stored.  What makes "
                "it wait until that has happened?",
                "__syncthreads() must be reached by all threads of the block: "
                "those that have returned are missing." } },
    /* exercises of roofline */
    { .name = "roofline/window", .title = "nine reads of each number",
      .difficulty = 2, .run = run_window,
      .size = { 1, 4, 5, 255, 256, 257, 1001, 8192 }, .largest = 2000,
      .hint = { "A block needs 256 + 8 numbers.  Put them into shared memory.",
                "Each thread loads the number of its own place.  Eight threads "
                "load one more: four before the first, four behind the last.",
                "Beyond the ends of the array the numbers in shared memory are "
                "0.  A barrier belongs before the sums." } },
    /* exercises of profiling */
    { .name = "profiling/rotate", .title = "slow: why?",
      .difficulty = 3, .run = run_rotate,
      .size = { 1, 31, 33, 255, 257, 2048 }, .largest = 1500,
      .hint = { "Registers have no addresses.  An array whose index is known "
                "only when the kernel runs is in local memory.",
                "One load of a float4 brings a group.  Then there are four "
                "variables instead of an array.",
                "A rotation by 3 is one by 1 and one by 2.  Each of the two "
                "either happens or not: a choice between two values, v = "
                "condition ? a : b, needs no branch." } },
    { .name = NULL },
};
