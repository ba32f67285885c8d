/* Tangled from chapters/course/tricks-solutions.nw, "Solutions: the tricks".  Edit it there. */

/* The coding exercises of part II. */
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

/* graders of matmul */
struct Matmul { int m, n, k; struct Array *a, *b, *c; float *wanted; };

static struct Matmul matmul_new(struct Run *r)
{
    struct Matmul x = { .m = case_size(r) };
    x.n = case_counted(r) ? 64 : case_random(r, 1, 70);
    x.k = case_counted(r) ? 64 : case_random(r, 1, 70);
    x.a = input_floats(r, "a", (size_t)(x.m * x.k), -1, 1);
    x.b = input_floats(r, "b", (size_t)(x.k * x.n), -1, 1);
    x.c = output_floats(r, "c", (size_t)(x.m * x.n));
    x.wanted = wanted_floats(r, (size_t)(x.m * x.n));
    for (int i = 0; i < x.m; i++)
        for (int j = 0; j < x.n; j++) {
            double sum = 0;
            for (int p = 0; p < x.k; p++)
                sum += (double)x.a->f[i * x.k + p] *
                       (double)x.b->f[p * x.n + j];
            x.wanted[i * x.n + j] = (float)sum;
        }
    return x;
}

/* A block of 16 x 16 threads computes a tile of rows x 16 results. */
static void matmul_launch(struct Run *r, const struct Matmul *x, int rows)
{
    struct Shape s = { { (uint32_t)(x->n + 15) / 16,
                         (uint32_t)((x->m + rows - 1) / rows), 1 },
                       { 16, 16, 1 }, 0 };
    LAUNCH(r, "matmul", s, ARRAY(x->c), ARRAY(x->a), ARRAY(x->b),
           INT(x->m), INT(x->n), INT(x->k));
    expect_floats(r, x->c, x->wanted, 0, 2e-5);
}

static void run_coalesced(struct Run *r)
{
    struct Matmul x = matmul_new(r);
    matmul_launch(r, &x, 16);
    budget(r, "sectors read", "gld_sec", 32768, 32768);
    budget(r, "sectors written", "gst_sec", 512, 512);
}

static void run_tile(struct Run *r)
{
    struct Matmul x = matmul_new(r);
    matmul_launch(r, &x, 16);
    budget(r, "sectors read", "gld_sec", 4096, 4096);
    budget(r, "sectors written", "gst_sec", 512, 512);
    budget(r, "bank conflicts", "sld_conf+sst_conf", 0, 0);
    budget(r, "barriers (warps arriving)", "barriers", 1024, 1024);
}

static void run_registers(struct Run *r)
{
    struct Matmul x = matmul_new(r);
    matmul_launch(r, &x, 64);
    budget(r, "shared loads: wavefronts", "sld_wave", 24576, 20480);
    budget(r, "sectors read", "gld_sec", 5120, 5120);
    budget(r, "bank conflicts", "sld_conf+sst_conf", 0, 0);
    budget(r, "barriers (warps arriving)", "barriers", 512, 512);
}

extern const struct Exercise part2_exercises[];
const struct Exercise part2_exercises[] = {
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
      .hint = { "With the numbers in shared memory, add to each the number d "
                "places before it, for d = 1, 2, 4, ... 128.",
                "In each step all threads must have read before one writes: "
                "two arrays that take turns need one barrier a step.",
                "Within a warp __shfl_up_sync does the same without a barrier. "
                "Then only the sums of the eight warps need shared memory." } },
    { .name = "reduction/histogram", .title = "count numbers",
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
    /* exercises of matmul */
    { .name = "matmul/coalesced", .title = "whose neighbour is whose?",
      .difficulty = 1, .run = run_coalesced,
      .size = { 1, 15, 16, 17, 50, 64 }, .largest = 40,
      .hint = { "A warp of this block has 16 lanes with one threadIdx.y and 16 "
                "with the next.  Which numbers of a, b and c do 16 lanes with "
                "neighbouring threadIdx.x touch?",
                "Lanes with neighbouring threadIdx.x should be neighbours in a "
                "row of c, and so of b." } },
    { .name = "matmul/tile", .title = "a tile in shared memory",
      .difficulty = 3, .run = run_tile,
      .size = { 1, 15, 16, 17, 50, 64 }, .largest = 40,
      .hint = { "Go along k in steps of 16.  For each step the block needs 16 "
                "x 16 numbers of a and 16 x 16 of b: each thread loads one of "
                "either.",
                "Two barriers a step: nobody reads the tiles before all have "
                "stored, and nobody stores the next ones before all have read.",
                "At the edges the tiles have places without a number.  A 0 "
                "there changes no sum.  All threads must reach the barriers, "
                "also those without a number of c." } },
    { .name = "matmul/registers", .title = "four results for each thread",
      .difficulty = 4, .run = run_registers,
      .size = { 1, 17, 63, 65, 100, 128 }, .largest = 90,
      .hint = { "A number of b that a thread has loaded serves all four "
                "results, if they are in one column.",
                "The tile of a has 64 rows now: each thread loads four numbers "
                "of it and one of b, between the same two barriers.",
                "Give a thread the rows ty, ty + 16, ty + 32 and ty + 48 of "
                "the tile, and an array float sum[4] whose loops have constant "
                "bounds: it stays in registers." } },
    { .name = NULL },
};
