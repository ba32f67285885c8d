/* Tangled from chapters/course/counting-solutions.nw, "Solutions: counting requests, sectors and wavefronts".  Edit it there. */

#include "course/course.h"

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

static void run_swizzle(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    unsigned tiles = (unsigned)(n + 31) / 32;
    struct Array *x = input_floats(r, "x", n * n, -1, 1);
    struct Array *y = output_floats(r, "y", n * n);
    float *wanted = wanted_floats(r, n * n);
    for (size_t i = 0; i < n * n; i++)
        wanted[i] = x->f[i % n * n + i / n];
    struct Shape shape = { { tiles, tiles, 1 }, { 32, 8, 1 }, 0 };
    LAUNCH(r, "transpose", shape, ARRAY(y), ARRAY(x), INT((int)n));
    expect_floats(r, y, wanted, 0, 0);
    budget(r, "bank conflicts", "sld_conf+sst_conf", 0, 0);
    budget(r, "bytes of shared memory", "smem_static+smem_dynamic", 4096,
           4096);
    budget(r, "sectors read", "gld_sec", 512, 512);
    budget(r, "sectors written", "gst_sec", 512, 512);
}

static void run_tail(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_floats(r, "x", n, -1, 1);
    struct Array *y = output_floats(r, "y", n);
    float *wanted = wanted_floats(r, n);
    for (size_t i = 0; i < n; i++)
        wanted[i] = 2 * x->f[i];
    LAUNCH(r, "twice", blocks_for((n + 3) / 4, 256), ARRAY(y), ARRAY(x),
           INT((int)n));
    expect_floats(r, y, wanted, 0, 0);
    budget(r, "requests to read", "gld_req", 66, 65);
    budget(r, "requests to write", "gst_req", 66, 65);
    budget(r, "sectors", "gld_sec+gst_sec", 2052, 2050);
}

static void run_bins(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *bin = input_ints(r, "bin", n, 0, 8);
    struct Array *w = input_ints(r, "w", n, -1000, 1000);
    struct Array *y = output_ints(r, "y", 8);
    int *wanted = wanted_ints(r, 8);
    for (size_t i = 0; i < n; i++)
        wanted[bin->i[i]] += w->i[i];
    LAUNCH(r, "bins", blocks_for(1, 256), ARRAY(y), ARRAY(bin), ARRAY(w),
           INT((int)n));
    expect_ints(r, y, wanted);
    budget(r, "wavefronts of shared memory", "sld_wave+sst_wave+satom_wave",
           200, 144);
    budget(r, "sectors read", "gld_sec", 1024, 1024);
    budget(r, "bytes of atomic operations", "gatom_bytes+gred_bytes", 0, 0);
}

extern const struct Exercise counting_exercises[];
const struct Exercise counting_exercises[] = {
    /* exercises of counting */
    { .name = "counting/fields", .title = "what four loads of a struct cost",
      .difficulty = 2, .run = run_fields, .size = { 1, 33, 255, 1000, 2048 },
      .largest = 3000,
      .large = 1 << 22,
      .hint = { "In one request 32 lanes read four bytes each, 16 bytes apart. "
                "How many sectors do they touch, and how much of each?",
                "A lane can load 16 bytes with one instruction: float4.",
                "*(const float4 *)(p + i) is such a load; p[i] is aligned to "
                "16 bytes." } },
    { .name = "counting/swizzle", .title = "a transpose without padding",
      .difficulty = 2, .run = run_swizzle, .size = { 1, 31, 32, 33, 64 },
      .largest = 60,
      .large = 4096,
      .hint = { "In which bank is s[c][r]?  All lanes have the same r.",
                "An element need not be in its own column: any place in its "
                "row will do, if store and load agree about it.",
                "Column c of row r at c ^ r: for a fixed r another "
                "bank for each c, and for a fixed c another for each r." } },
    { .name = "counting/tail", .title = "broken: loads of 16 bytes",
      .difficulty = 2, .run = run_tail,
      .size = { 1, 2, 3, 4, 5, 1023, 1025, 8190 }, .largest = 3000,
      .large = 1 << 24,
      .hint = { "Which thread reads beyond the array, and how many threads of "
                "this kind are there?",
                "A thread whose four numbers are all within the array loads "
                "them at once.  The last one may have fewer.",
                "A loop in the last thread costs a request for each number; "
                "the budget has room for two.  Up to three numbers are a "
                "float2 and a float, or a number for each of three lanes." } },
    { .name = "counting/bins", .title = "slow: many lanes, few bins",
      .difficulty = 3, .run = run_bins,
      .size = { 1, 31, 255, 257, 1000, 4096 }, .largest = 3000,
      .hint = { "An atomic addition takes as many wavefronts as there are "
                "lanes in the fullest bank.  Here 32 lanes share eight words.",
                "If lane l adds only to words of bank l, no two lanes meet.",
                "Give each lane eight bins of its own: s[b][lane].  In the end "
                "each of the eight warps adds up one bin, with shuffles." } },
    { .name = NULL },
};
