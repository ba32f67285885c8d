/* Tangled from chapters/course/warps-solutions.nw, "Solutions: warps".  Edit it there. */

#include "course/course.h"

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

static void run_negative(struct Run *r)
{
    size_t n = (size_t)case_size(r), warps = (n + 31) / 32;
    struct Array *x = input_floats(r, "x", n, 0, 1);
    struct Array *y = output_ints(r, "y", warps);
    int *wanted = wanted_ints(r, warps);
    for (size_t w = 0; w < warps; w++)      /* 0 to 2 of them in a warp  */
        for (int k = case_random(r, 0, 3); k > 0; k--) {
            size_t i = w * 32 + (size_t)case_random(r, 0, 32);
            if (i < n)
                x->f[i] = -1 - x->f[i];
        }
    refill(r, x);
    for (size_t w = 0; w < warps; w++) {
        wanted[w] = 32;
        for (size_t k = 32; k-- > 0; )
            if (w * 32 + k < n && x->f[w * 32 + k] < 0)
                wanted[w] = (int)k;
    }
    LAUNCH(r, "negative", blocks_for(n, 128), ARRAY(y), ARRAY(x),
           INT((int)n));
    expect_ints(r, y, wanted);
    budget(r, "requests to read", "gld_req", 64, 64);
    budget(r, "sectors read", "gld_sec", 256, 256);
    budget(r, "sectors written", "gst_sec", 64, 64);
}

static void run_warp_steps(struct Run *r)
{
    int n = case_size(r);
    struct Array *x = input_floats(r, "x", (size_t)n, -1, 1);
    struct Array *y = output_floats(r, "y", (size_t)n);
    float *wanted = wanted_floats(r, (size_t)n);
    for (int i = 0; i < n; i++) {
        double v = (double)x->f[i];
        for (int k = i % 2 ? 5 : 20; k > 0; k--)
            v = v * v - 0.5;
        wanted[i] = (float)v;
    }
    LAUNCH(r, "steps", blocks_for((size_t)n, 256), ARRAY(y), ARRAY(x),
           INT(n));
    expect_floats(r, y, wanted, 0, 1e-5);
    budget(r, "divergent branches", "branch_div", 0, 0);
    budget(r, "FLOP", "flop", 25600, 25600);
    budget(r, "sectors read", "gld_sec", 128, 128);
    budget(r, "sectors written", "gst_sec", 128, 128);
    budget(r, "barriers (warps arriving)", "barriers", 64, 64);
}

static void run_largest(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_floats(r, "x", n, -2, -1);
    struct Array *y = output_floats(r, "y", n);
    float *wanted = wanted_floats(r, n);
    for (size_t i = 0; i < n; i++) {
        wanted[i] = x->f[i];
        for (size_t k = i / 32 * 32; k < i / 32 * 32 + 32 && k < n; k++)
            wanted[i] = x->f[k] > wanted[i] ? x->f[k] : wanted[i];
    }
    LAUNCH(r, "largest", blocks_for(n, 128), ARRAY(y), ARRAY(x),
           INT((int)n));
    expect_floats(r, y, wanted, 0, 0);
    budget(r, "sectors read", "gld_sec", 128, 128);
    budget(r, "sectors written", "gst_sec", 128, 128);
    budget(r, "shared memory, wavefronts", "sld_wave+sst_wave", 0, 0);
}

extern const struct Exercise warps_exercises[];
const struct Exercise warps_exercises[] = {
    /* exercises of warps */
    { .name = "warps/sum", .title = "the sum of a warp in five steps",
      .difficulty = 2, .run = run_warp_sums,
      .size = { 1, 31, 32, 33, 100, 4096 }, .largest = 1000,
      .hint = { "__shfl_down_sync(0xffffffff, value, d) gives a lane the value "
                "of the lane d places above.",
                "After steps with d = 16, 8, 4, 2, 1 lane 0 has the sum.",
                "All 32 lanes must take part, those beyond n as well: give "
                "them a 0, and return nowhere before the shuffles." } },
    { .name = "warps/negative", .title = "the first negative number",
      .difficulty = 1, .run = run_negative,
      .size = { 1, 31, 33, 127, 1001, 2048 },
      .largest = 1500,
      .hint = { "Every lane loads its own number.  What is missing is to "
                "tell the others.",
                "__ballot_sync gives all lanes a word with a bit for each "
                "lane. A lane without a number votes too: with 0.",
                "__ffs tells the lowest bit that is set, counted from 1, "
                "and 0 if there is none." } },
    { .name = "warps/steps", .title = "slow: odd and even",
      .difficulty = 3, .run = run_warp_steps,
      .size = { 1, 2, 255, 257, 1001, 1024 }, .largest = 1500,
      .hint = { "Which elements could the threads of a warp have, so that "
                "all of them are even or all are odd?",
                "128 threads of a block take its even elements, the others "
                "its odd ones.  Straight from memory that reads each sector "
                "twice.",
                "Load and store as before, but pass the numbers through "
                "shared memory on both ways.  Barriers are for all threads, "
                "also for those without an element." } },
    { .name = "warps/largest", .title = "broken: a largest number",
      .difficulty = 2, .run = run_largest,
      .size = { 1, 31, 33, 100, 127, 1024 },
      .largest = 1000,
      .hint = { "Which lanes know the result after five steps down?",
                "__shfl_xor_sync gives it to all lanes.",
                "A shuffle from a lane that has returned brings an "
                "undefined value.  What can a lane without a number bring "
                "that changes no maximum?" } },
    { .name = NULL },
};
