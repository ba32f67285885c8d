/* Tangled from chapters/course/attention-on-hopper-solutions.nw, "Solutions: attention on Hopper".  Edit it there. */

#include "course/course.h"

#include <math.h>

/* graders of attention on Hopper */
static void run_descriptor(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *address = input_ints(r, "address", n, 0, 220);
    struct Array *step = input_ints(r, "step", n, 0, 4);
    struct Array *row = input_ints(r, "row", n, 0, 64);
    struct Array *low = output_ints(r, "low", n);
    struct Array *at = output_ints(r, "at", n);
    int *lows = wanted_ints(r, n), *ats = wanted_ints(r, n);
    for (size_t i = 0; i < n; i++) {
        address->i[i] *= 1024;
        int from = address->i[i] + 32 * step->i[i];
        int plain = from + 128 * row->i[i];
        lows[i] = (from >> 4 & 0x3fff) | 1 << 16;
        ats[i] = plain ^ (plain >> 7 & 7) << 4;
    }
    refill(r, address);
    LAUNCH(r, "descriptor", blocks_for(n, 128), ARRAY(low), ARRAY(at),
           ARRAY(address), ARRAY(step), ARRAY(row), INT((int)n));
    expect_ints(r, low, lows);
    expect_ints(r, at, ats);
    budget(r, "sectors read", "gld_sec", 192, 96);
    budget(r, "sectors written", "gst_sec", 64, 64);
    budget(r, "branches that split", "branch_div", 0, 0);
}

static void run_rows(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *s = input_floats(r, "s", 512 * n, -8, 8);
    for (size_t i = 0; i < 512 * n; i++)    /* each row at a level */
        s->f[i] += (float)(i / 32 % 7) * 20 - 60;
    refill(r, s);
    struct Array *most = output_floats(r, "most", 16 * n);
    struct Array *sum = output_floats(r, "sum", 16 * n);
    float *tops = wanted_floats(r, 16 * n);
    float *sums = wanted_floats(r, 16 * n);
    for (size_t i = 0; i < 16 * n; i++) {
        double total = 0;
        tops[i] = -INFINITY;
        for (size_t k = 32 * i; k < 32 * i + 32; k++)
            tops[i] = fmaxf(tops[i], s->f[k]);
        for (size_t k = 32 * i; k < 32 * i + 32; k++)
            total += exp((double)s->f[k] - (double)tops[i]);
        sums[i] = (float)total;
    }
    LAUNCH(r, "softmax", blocks_for(32 * n, 128), ARRAY(most), ARRAY(sum),
           ARRAY(s), INT((int)n));
    expect_floats(r, most, tops, 0, 0);
    expect_floats(r, sum, sums, 2e-6, 0);
    budget(r, "sectors read", "gld_sec", 16 * 128, 16 * 64);
    budget(r, "lanes of special functions", "special", 16 * 512, 16 * 512);
    budget(r, "requests to write", "gst_req", 64, 64);
}

static void launch_next(struct Run *r, struct Array *y,
                        struct Array *taken, struct Array *x)
{
    int n = (int)x->n, all = (n + 127) / 128;
    LAUNCH(r, "persistent", blocks_for(512, 128), ARRAY(y), ARRAY(taken),
           ARRAY(x), INT(all), INT(n));
}

static void run_next(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_floats(r, "x", n, -1, 1);
    struct Array *y = output_floats(r, "y", n);
    struct Array *z = output_floats(r, "y of a second launch", n);
    struct Array *taken = zero_ints(r, "taken", 1);
    float *wanted = wanted_floats(r, n);
    for (size_t i = 0; i < n; i++)
        wanted[i] = x->f[i] * x->f[i];
    launch_next(r, y, taken, x);
    launch_next(r, z, taken, x);
    expect_floats(r, y, wanted, 0, 0);
    expect_floats(r, z, wanted, 0, 0);
    expect_ints(r, taken, wanted_ints(r, 1));
    budget(r, "sectors read", "gld_sec", 2 * 12 * 16, 2 * 12 * 16);
    budget(r, "sectors written", "gst_sec", 2 * 12 * 16 + 4,
           2 * 12 * 16);
    budget(r, "bytes of atomic operations", "gatom_bytes+gred_bytes", 112,
           96);
    budget(r, "barriers (warps arriving)", "barriers", 2 * 4 * 32,
           2 * 4 * 28);
}

static void run_cut(struct Run *r)
{
    int T = case_size(r);
    size_t t = (size_t)T;
    struct Array *q = input_floats(r, "q", 8 * t, -1, 1);
    struct Array *k = input_floats(r, "k", 8 * t, -1, 1);
    struct Array *y = output_floats(r, "y", t);
    float *wanted = wanted_floats(r, t);
    for (size_t i = 0; i < t; i++) {
        double most = -INFINITY;
        for (size_t u = 0; u <= i; u++) {
            double score = 0;
            for (size_t c = 0; c < 8; c++)
                score += (double)q->f[8 * i + c] * (double)k->f[8 * u + c];
            most = fmax(most, score);
        }
        wanted[i] = (float)most;
    }
    LAUNCH(r, "largest", blocks_for(t, 96), ARRAY(y), ARRAY(q), ARRAY(k),
           INT(T));
    expect_floats(r, y, wanted, 0, 4e-6);
    budget(r, "sectors read", "gld_sec", 2752, 2752);
    budget(r, "wavefronts that store keys", "sst_wave", 432, 432);
    budget(r, "barriers (warps arriving)", "barriers", 162, 162);
}

static void run_load(struct Run *r)
{
    size_t blocks = (size_t)case_size(r), n = 256 * blocks;
    struct Array *x = input_floats(r, "x", n, -1, 1);
    struct Array *y = output_floats(r, "y", n);
    float *wanted = wanted_floats(r, n);
    for (size_t i = 0; i < n; i++)
        wanted[i] = x->f[i ^ 255];
    LAUNCH(r, "reverse", blocks_for(n, 256), ARRAY(y), ARRAY(x));
    expect_floats(r, y, wanted, 0, 0);
    budget(r, "requests to read", "gld_req", 0, 0);
    budget(r, "requests to store in shared memory", "sst_req", 16, 0);
    budget(r, "barriers (warps arriving)", "barriers", 4 * 8 * 2, 4 * 8);
}

static void run_ring(struct Run *r)
{
    int tiles = case_size(r);
    struct Array *x = input_ints(r, "x", 128 * (size_t)tiles, -99, 99);
    struct Array *y = output_ints(r, "y", 128);
    int *wanted = wanted_ints(r, 128);
    for (int k = 0; k < tiles; k++)
        for (int t = 0; t < 128; t++)
            wanted[t] += (k + 1) * x->i[128 * k + 127 - t];
    LAUNCH(r, "ring", blocks_for(160, 160), ARRAY(y), ARRAY(x), INT(tiles));
    expect_ints(r, y, wanted);
    budget(r, "requests to read", "gld_req", 0, 0);
    budget(r, "barriers (warps arriving)", "barriers", 10, 5);
    budget(r, "bytes of shared memory", "smem_static", 1792, 1664);
}

static void run_out(struct Run *r)
{
    int tiles = case_size(r);
    size_t n = 256 * (size_t)tiles;
    struct Array *x = input_floats(r, "x", n, -1, 1);
    struct Array *y = output_floats(r, "y", n);
    float *wanted = wanted_floats(r, n);
    for (size_t i = 0; i < n; i++)
        wanted[i] = 2 * x->f[i];
    LAUNCH(r, "twice", blocks_for(256, 256), ARRAY(y), ARRAY(x),
           INT(tiles));
    expect_floats(r, y, wanted, 0, 0);
    budget(r, "requests to write", "gst_req", 0, 0);
    budget(r, "sectors read", "gld_sec", 8 * 32, 8 * 32);
    budget(r, "barriers (warps arriving)", "barriers", 8 * 8 * 3,
           8 * 8 * 2);
}

extern const struct Exercise attention_on_hopper_exercises[];
const struct Exercise attention_on_hopper_exercises[] = {
    /* exercises of attention on Hopper */
    { .name = "attention-on-hopper/descriptor", .title = "where is this row?",
      .difficulty = 1, .run = run_descriptor,
      .size = { 1, 31, 33, 129, 256 },
      .largest = 200,
      .hint = { "16 columns of bf16 are 32 bytes: two chunks for each step.",
                "The first chunk of step s is 2 s, and its place in row r is "
                "2 s ^ (r % 8).",
                "The descriptor has the address before the swizzle.  The "
                "hardware applies the swizzle to each row." } },
    { .name = "attention-on-hopper/rows",
      .title = "broken: the softmax of a row",
      .difficulty = 2, .run = run_rows,
      .size = { 1, 2, 3, 5, 16 },
      .largest = 20,
      .hint = { "Which of the 16 scores of a lane belong to its lower row?  "
                "Look at the line that computes row.",
                "Which lanes hold the same row?  By how much do their "
                "numbers differ?",
                "A lane has added up its own eight columns.  Who has the "
                "others?",
                "For the third star, load the two neighbours as a float2." } },
    { .name = "attention-on-hopper/next",
      .title = "broken: the next work tile",
      .difficulty = 3, .run = run_next,
      .size = { 1, 127, 129, 512, 513, 1536 },
      .largest = 1000,
      .hint = { "Thread 0 stores the next number while others may not have "
                "read the present one.",
                "The first four tiles are taken already.  Which number does "
                "the counter give first?",
                "When block 0 is done, others may still take numbers.  How "
                "often do all blocks ask in total?  The one that asks last "
                "can know it, and atomicInc counts round a circle." } },
    { .name = "attention-on-hopper/cut",
      .title = "slow: where a sequence is cut",
      .difficulty = 3, .run = run_cut,
      .size = { 1, 63, 95, 97, 160, 512 },
      .largest = 300,
      .hint = { "The tiles end at 96, 192, 288, 384, 480 and 512.  Each "
                "takes a step for each 64 keys, also the last one with its "
                "32 queries.",
                "If the small tile comes first, it takes one step.",
                "Let the last tile end at T.  The first one then begins "
                "before 0: t may be negative, and such a thread has no "
                "query." } },
    { .name = "attention-on-hopper/load",
      .title = "bytes that arrive by themselves",
      .difficulty = 3, .run = run_load, .size = { 1, 2, 3, 4 },
      .largest = 5,
      .hint = { "The barrier is a __shared__ unsigned long long.  Thread 0 "
                "initialises it with 1, and then comes __syncthreads().",
                "Thread 0: expect(&bar, 1024); load(tile, x + first, 1024, "
                "&bar);",
                "Then every thread, thread 0 too: wait(&bar, 0)." } },
    { .name = "attention-on-hopper/ring",
      .title = "broken: a ring of three buffers",
      .difficulty = 4, .run = run_ring, .size = { 1, 2, 3, 4, 7, 24 },
      .largest = 20,
      .hint = { "How many threads arrive at empty for each tile?",
                "Tile 3 is the second tile of buffer 0.  In which phase of "
                "full does it arrive, and which parity has that phase?",
                "After its arrival at empty a consumer may not touch the "
                "tile any more." } },
    { .name = "attention-on-hopper/out",
      .title = "broken: results by TMA",
      .difficulty = 4, .run = run_out, .size = { 1, 2, 3, 5, 8 },
      .largest = 10,
      .hint = { "Thread 0 starts the store when it has stored its own "
                "number.  What about the others?",
                "Ordinary stores and TMA are two proxies.  Let each thread "
                "call the fence after its store and before the barrier.",
                "The next tile goes into the same buffer.  Has TMA read the "
                "one before?  Only thread 0 can wait for that; how do the "
                "others learn it?" } },
    { .name = NULL },
};
