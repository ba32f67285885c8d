/* Tangled from chapters/course/reduction-solutions.nw, "Solutions: reduction".  Edit it there. */

#include "course/course.h"

/* graders of reduction */
static void run_sum(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_ints(r, "x", n, -1000, 1000);
    struct Array *y = zero_ints(r, "y", 1);
    int *wanted = wanted_ints(r, 1);
    for (size_t i = 0; i < n; i++)
        wanted[0] += x->i[i];
    struct Shape eight = { { 8, 1, 1 }, { 256, 1, 1 }, 0 };
    LAUNCH(r, "sum", eight, ARRAY(y), ARRAY(x), INT((int)n));
    expect_ints(r, y, wanted);
    budget(r, "bytes of atomic operations", "gatom_bytes+gred_bytes", 32,
           32);
    budget(r, "sectors read", "gld_sec", 2048, 2048);
    budget(r, "barriers (warps arriving)", "barriers", 8 * 8 * 9, 64);
}

static void run_argmax(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_ints(r, "x", n, -40, -20);
    struct Array *y = output_ints(r, "y", 2);
    int *wanted = wanted_ints(r, 2);
    wanted[0] = x->i[0];
    for (size_t i = 1; i < n; i++)
        if (x->i[i] > wanted[0]) {
            wanted[0] = x->i[i];
            wanted[1] = (int)i;
        }
    LAUNCH(r, "argmax", blocks_for(1, 256), ARRAY(y), ARRAY(x),
           INT((int)n));
    expect_ints(r, y, wanted);
    budget(r, "sectors read", "gld_sec", 1024, 1024);
    budget(r, "requests to read", "gld_req", 256, 256);
    budget(r, "barriers (warps arriving)", "barriers", 8 * 9, 8);
}

static void run_scan(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_ints(r, "x", n, -1000, 1000);
    struct Array *y = output_ints(r, "y", n);
    int *wanted = wanted_ints(r, n);
    for (size_t i = 0; i < n; i++)
        wanted[i] = x->i[i] + (i % 256 ? wanted[i - 1] : 0);
    LAUNCH(r, "scan", blocks_for(n, 256), ARRAY(y), ARRAY(x),
           INT((int)n));
    expect_ints(r, y, wanted);
    budget(r, "sectors read", "gld_sec", 512, 512);
    budget(r, "sectors written", "gst_sec", 512, 512);
    budget(r, "bank conflicts", "sld_conf+sst_conf", 0, 0);
    budget(r, "barriers (warps arriving)", "barriers", 128 * 9, 128);
}

static void run_histogram(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_ints(r, "x", n, 0, 64);
    struct Array *y = zero_ints(r, "y", 64);
    int *wanted = wanted_ints(r, 64);
    int frequent = case_random(r, 0, 63);
    for (size_t i = 0; i < n; i += (size_t)case_random(r, 1, 7))
        x->i[i] = frequent;
    refill(r, x);
    for (size_t i = 0; i < n; i++)
        wanted[x->i[i]]++;
    struct Shape eight = { { 8, 1, 1 }, { 256, 1, 1 }, 0 };
    LAUNCH(r, "histogram", eight, ARRAY(y), ARRAY(x), INT((int)n));
    expect_ints(r, y, wanted);
    budget(r, "bytes of atomic operations", "gatom_bytes+gred_bytes", 2048,
           2048);
    budget(r, "sectors read", "gld_sec", 2048, 2048);
    budget(r, "barriers (warps arriving)", "barriers", 4 * 64, 2 * 64);
}

static void run_compact(struct Run *r)
{
    size_t n = (size_t)case_size(r), kept = 0;
    struct Array *x = input_ints(r, "x", n, 1, 1000);
    int *wanted = wanted_ints(r, n), *count = wanted_ints(r, 1);
    for (size_t i = 0; i < n; i++)
        x->i[i] *= case_random(r, 0, 1);
    refill(r, x);
    for (size_t i = 0; i < n; i++)
        if (x->i[i])
            wanted[kept++] = x->i[i];
    count[0] = (int)kept;
    struct Array *y = output_ints(r, "y", kept);
    struct Array *c = output_ints(r, "count", 1);
    LAUNCH(r, "compact", blocks_for(1, 256), ARRAY(y), ARRAY(c), ARRAY(x),
           INT((int)n));
    expect_ints(r, c, count);
    expect_ints(r, y, wanted);
    budget(r, "sectors read", "gld_sec", 512, 512);
    budget(r, "barriers (warps arriving)", "barriers", 16 * 8 * 3,
           16 * 8 * 2);
}

extern const struct Exercise reduction_exercises[];
const struct Exercise reduction_exercises[] = {
    /* exercises of reduction */
    { .name = "reduction/sum", .title = "one sum of all numbers",
      .difficulty = 2, .run = run_sum,
      .size = { 1, 255, 257, 2047, 2049, 5001, 16384 }, .largest = 9000,
      .hint = { "Let each thread first add its own numbers in a register.",
                "Then add the 256 sums of a block: in each warp with shuffles, "
                "and the eight sums of warps through shared memory.",
                "A barrier belongs between the stores of the eight sums and "
                "the loads.  After it one warp does the rest, and one thread "
                "calls atomicAdd." } },
    { .name = "reduction/argmax",
      .title = "the largest number, and where it is",
      .difficulty = 3, .run = run_argmax,
      .size = { 1, 2, 31, 33, 255, 257, 1000, 8192 }, .largest = 3000,
      .hint = { "A maximum is combined as a sum is.  What changes is the "
                "operation, and that two numbers travel together.",
                "Of two candidates with equal numbers the one with the smaller "
                "index wins, in every step.",
                "Number and index fit into one 64-bit integer, so that the "
                "larger integer is the better candidate." } },
    { .name = "reduction/scan", .title = "a scan of each block",
      .difficulty = 3, .run = run_scan,
      .size = { 1, 31, 33, 255, 256, 257, 1001, 4096 }, .largest = 2000,
      .large = 1 << 24,
      .hint = { "With the numbers in shared memory, add to each the number d "
                "places before it, for d = 1, 2, 4, ... 128.",
                "In each step all threads must have read before one writes: "
                "two arrays that take turns need one barrier a step.",
                "Within a warp __shfl_up_sync does the same without a barrier. "
                "Then only the sums of the eight warps need shared memory." } },
    { .name = "reduction/histogram", .title = "slow: count numbers",
      .difficulty = 2, .run = run_histogram,
      .size = { 1, 33, 255, 2049, 5001, 16384 }, .largest = 6000,
      .hint = { "Give each block a histogram of its own, in shared memory.",
                "Shared memory holds nothing at the beginning.  Who sets it to "
                "0, and what must all threads wait for, twice?",
                "Several threads may count the same number at once: also in "
                "shared memory this needs atomicAdd." } },
    { .name = "reduction/compact", .title = "broken: what is not zero",
      .difficulty = 3, .run = run_compact,
      .size = { 1, 33, 255, 256, 257, 513, 1001, 4096 }, .largest = 2000,
      .hint = { "Where do the numbers of the second iteration go?",
                "A fast warp may begin the next iteration while a slow one "
                "still reads s.  The sanitizer names both lines." } },
    { .name = NULL },
};
