/* Tangled from chapters/course/races-solutions.nw, "Solutions: races".  Edit it there. */

#include "course/course.h"

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

static void run_smooth(struct Run *r)
{
    size_t n = 256 * (size_t)case_random(r, 1, 3);
    int steps = case_size(r);
    if (case_counted(r))
        n = 512;
    struct Array *x = in_place(input_ints(r, "x", n, 0, 1009));
    int *wanted = wanted_ints(r, n);
    for (size_t i = 0; i < n; i++)
        wanted[i] = x->i[i];
    for (int k = 0; k < steps; k++)
        for (size_t b = 0; b < n; b += 256) {
            int first = wanted[b];
            for (size_t t = 0; t < 256; t++) {
                int next = t < 255 ? wanted[b + t + 1] : first;
                wanted[b + t] = (wanted[b + t] + next) % 1009;
            }
        }
    LAUNCH(r, "smooth", blocks_for(n, 256), ARRAY(x), INT(steps));
    expect_ints(r, x, wanted);
    budget(r, "barriers (warps arriving)", "barriers", 16 * 18, 16 * 17);
    budget(r, "sectors of global memory", "gld_sec+gst_sec", 128, 128);
    budget(r, "bank conflicts", "sld_conf+sst_conf", 0, 0);
}

static void run_last(struct Run *r)
{
    size_t n = (size_t)case_size(r), blocks = (n + 255) / 256;
    struct Array *x = input_ints(r, "x", n, -1000, 1000);
    struct Array *y = output_ints(r, "y", 1);
    struct Array *part = output_ints(r, "part", blocks);
    struct Array *done = zero_ints(r, "done", 1);
    int *wanted = wanted_ints(r, 1);
    for (size_t i = 0; i < n; i++)
        wanted[0] += x->i[i];
    LAUNCH(r, "total", blocks_for(n, 256), ARRAY(y), ARRAY(part),
           ARRAY(done), ARRAY(x), INT((int)n));
    expect_ints(r, y, wanted);
    budget(r, "bytes of atomic operations", "gatom_bytes+gred_bytes", 64,
           64);
    budget(r, "sectors read", "gld_sec", 520, 514);
    budget(r, "barriers (warps arriving)", "barriers", 16 * 88 + 72,
           16 * 80 + 72);
}

static void run_warp(struct Run *r)
{
    size_t rows = (size_t)case_size(r);
    struct Array *x = input_ints(r, "x", 32 * rows, -1000, 1000);
    struct Array *y = output_ints(r, "y", rows);
    int *wanted = wanted_ints(r, rows);
    for (size_t i = 0; i < 32 * rows; i++)
        wanted[i / 32] += x->i[i];
    struct Shape eight = { { (unsigned)(rows + 7) / 8, 1, 1 },
                           { 256, 1, 1 }, 0 };
    LAUNCH(r, "sum_rows", eight, ARRAY(y), ARRAY(x), INT((int)rows));
    expect_ints(r, y, wanted);
    budget(r, "barriers (warps arriving)", "barriers", 0, 0);
    budget(r, "sectors read", "gld_sec", 800, 800);
    budget(r, "bank conflicts", "sld_conf+sst_conf", 0, 0);
}

extern const struct Exercise races_exercises[];
const struct Exercise races_exercises[] = {
    /* exercises of races */
    { .name = "races/reverse", .title = "broken: a block turned around",
      .difficulty = 1, .run = run_reverse,
      .size = { 1, 32, 33, 255, 256, 257, 1000, 2048 }, .largest = 2000,
      .hint = { "A thread reads what another thread has stored.  What makes "
                "it wait until that has happened?",
                "__syncthreads() must be reached by all threads of the block: "
                "those that have returned are missing." } },
    { .name = "races/smooth", .title = "slow: two barriers a step",
      .difficulty = 2, .run = run_smooth,
      .size = { 1, 2, 3, 5, 8, 17 }, .largest = 12,
      .hint = { "Which pair of accesses does each of the two barriers order?",
                "The first keeps a store away from loads of the number that it "
                "overwrites.  With a second array the store goes elsewhere.",
                "Step k reads s[k % 2] and stores into s[(k + 1) % 2].  Draw "
                "the path from a load of step k to the store of step k + 1 "
                "into the same word." } },
    { .name = "races/last", .title = "the last block's sum",
      .difficulty = 3, .run = run_last,
      .size = { 1, 255, 256, 257, 1000, 4096 }, .largest = 3000,
      .hint = { "A block takes a ticket: ticket = atomicAdd(done, 1).  Which "
                "ticket has the last block?",
                "Thread 0 takes the ticket and all threads must know it: a "
                "word of shared memory and a barrier.",
                "An atomic addition orders nothing but itself.  What must be "
                "between the store into part and the ticket, and between the "
                "ticket and the loads of part?" } },
    { .name = "races/warp", .title = "broken: a sum in the way of 2007",
      .difficulty = 2, .run = run_warp,
      .size = { 1, 7, 8, 9, 31, 200 }, .largest = 150,
      .hint = { "What does the last warp of a block do if rows is no multiple "
                "of eight?",
                "volatile keeps the accesses of one lane in their order.  "
                "Nothing makes a lane wait for another one.",
                "And lane 20 reads s[16]: whose number is that?" } },
    { .name = NULL },
};
