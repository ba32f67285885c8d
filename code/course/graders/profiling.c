/* Tangled from chapters/course/profiling-solutions.nw, "Solutions: profiling".  Edit it there. */

#include "course/course.h"

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

static void run_clip(struct Run *r)
{
    size_t n = (size_t)case_size(r), blocks = (n + 255) / 256;
    struct Array *x = input_floats(r, "x", n, -1.5, 1.5);
    struct Array *y = output_floats(r, "y", n);
    struct Array *count = zero_ints(r, "count", blocks);
    float *wanted = wanted_floats(r, n);
    int *changed = wanted_ints(r, blocks);
    for (size_t i = 0; i < n; i++) {
        float v = x->f[i];
        wanted[i] = v < -1 ? -1 : v > 1 ? 1 : v;
        changed[i / 256] += v < -1 || v > 1;
    }
    LAUNCH(r, "clip", blocks_for(n, 256), ARRAY(y), ARRAY(count), ARRAY(x),
           INT((int)n));
    expect_floats(r, y, wanted, 0, 0);
    expect_ints(r, count, changed);
    budget(r, "bytes of atomic operations", "gatom_bytes+gred_bytes", 0, 0);
    budget(r, "sectors read", "gld_sec", 1024, 1024);
    budget(r, "sectors written", "gst_sec", 1056, 1056);
    budget(r, "barriers (warps arriving)", "barriers", 512, 256);
}

static void run_chain(struct Run *r)
{
    size_t n = (size_t)case_size(r), d = (size_t)case_random(r, 1, 70);
    if (case_counted(r))
        d = 64;
    struct Array *x = input_floats(r, "x", n, -1, 1);
    struct Array *b = input_floats(r, "b", d, -1, 1);
    struct Array *res = input_floats(r, "r", n, -1, 1);
    struct Array *y = output_floats(r, "y", n);
    float *wanted = wanted_floats(r, n);
    for (size_t i = 0; i < n; i++) {
        float v = x->f[i] + b->f[i % d];
        wanted[i] = (v > 0 ? v : 0) + res->f[i];
    }
    LAUNCH(r, "chain", blocks_for(n, 256), ARRAY(y), ARRAY(x), ARRAY(b),
           ARRAY(res), INT((int)n), INT((int)d));
    expect_floats(r, y, wanted, 0, 1e-6);
    budget(r, "sectors read", "gld_sec", 1536, 1536);
    budget(r, "sectors written", "gst_sec", 512, 512);
    budget(r, "FLOP", "flop", 8192, 8192);
}

static void run_groups(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *first = input_ints(r, "first", n + 1, 0, 1);
    for (size_t g = 0; g < n; g++)
        first->i[g + 1] = first->i[g] + case_random(r, 0, 150);
    if (case_counted(r))
        for (size_t g = 0; g <= n; g++)
            first->i[g] = 128 * (int)g;
    refill(r, first);
    size_t all = (size_t)first->i[n];
    struct Array *x = input_ints(r, "x", all + !all, -1000, 1000);
    struct Array *y = output_ints(r, "y", n);
    int *wanted = wanted_ints(r, n);
    for (size_t g = 0; g < n; g++)
        for (int i = first->i[g]; i < first->i[g + 1]; i++)
            wanted[g] += x->i[i];
    struct Shape eight = { { (unsigned)(n + 7) / 8, 1, 1 },
                           { 256, 1, 1 }, 0 };
    LAUNCH(r, "groups", eight, ARRAY(y), ARRAY(x), ARRAY(first),
           INT((int)n));
    expect_ints(r, y, wanted);
    budget(r, "requests to read", "gld_req", 400, 384);
    budget(r, "sectors read", "gld_sec", 1300, 1152);
}

extern const struct Exercise profiling_exercises[];
const struct Exercise profiling_exercises[] = {
    /* exercises of profiling */
    { .name = "profiling/rotate", .title = "slow: why?",
      .difficulty = 3, .run = run_rotate,
      .size = { 1, 31, 33, 255, 257, 2048 }, .largest = 1500,
      .large = 1 << 22,
      .hint = { "Registers have no addresses.  An array whose index is known "
                "only when the kernel runs is in local memory.",
                "One load of a float4 brings a group.  Then there are four "
                "variables instead of an array.",
                "A rotation by 3 is one by 1 and one by 2.  Each of the two "
                "either happens or not: a choice between two values, v = "
                "condition ? a : b, needs no branch." } },
    { .name = "profiling/clip", .title = "broken: a kernel that counts",
      .difficulty = 2, .run = run_clip,
      .size = { 1, 31, 33, 255, 257, 1001, 8192 }, .largest = 3000,
      .large = 1 << 24,
      .hint = { "count[...]++ is a load, an addition and a store, and many "
                "threads make them at once.",
                "__ballot_sync gives each warp a bit for each lane, and __popc "
                "counts bits.  Then eight numbers are left in a block.",
                "__syncthreads_count(condition) is a barrier that tells each "
                "thread for how many threads the condition holds.  All threads "
                "of the block must come to it." } },
    { .name = "profiling/chain", .title = "one launch instead of three",
      .difficulty = 1, .run = run_chain,
      .size = { 1, 31, 255, 257, 1001, 4096 }, .largest = 3000,
      .large = 1 << 24,
      .hint = { "Which of the loads and stores belong to the result, and which "
                "only carry a number to the next step?",
                "A number that only its own thread needs stays in a "
                "register." } },
    { .name = "profiling/groups", .title = "idle lanes",
      .difficulty = 2, .run = run_groups,
      .size = { 1, 7, 8, 9, 33, 64 }, .largest = 50,
      .hint = { "Lane l takes the numbers l, l + 32, l + 64 ... of the group.",
                "Groups have any length.  Lanes that have no number in the "
                "last iteration must still come to the shuffle.",
                "The loop reads first[g + 1] in each iteration, unless you "
                "read it once before." } },
    { .name = NULL },
};
