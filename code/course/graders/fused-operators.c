/* Tangled from chapters/course/fused-operators-solutions.nw, "Solutions: fused operators".  Edit it there. */

#include <math.h>
#include <string.h>

#include "course/course.h"

/* graders of fused-operators */
static void run_classifier(struct Run *r)
{
    size_t N = (size_t)case_size(r);
    size_t C = case_counted(r) ? 128 : (size_t)case_random(r, 2, 99);
    struct Array *x = in_place(input_floats(r, "x", N * C, 90, 100));
    struct Array *target = input_ints(r, "target", N, 0, (int)C);
    struct Array *loss = output_floats(r, "loss", N);
    float *dx = wanted_floats(r, N * C), *wanted = wanted_floats(r, N);
    for (size_t n = 0; n < N; n++) {
        const float *row = x->f + n * C;
        double sum = 0;
        for (size_t c = 0; c < C; c++)
            sum += exp(row[c]);
        for (size_t c = 0; c < C; c++)
            dx[n * C + c] = (float)(exp(row[c]) / sum);
        dx[n * C + (size_t)target->i[n]] -= 1;
        wanted[n] = (float)(log(sum) - row[target->i[n]]);
    }
    LAUNCH(r, "classifier", blocks_for(32 * N, 256), ARRAY(loss), ARRAY(x),
           ARRAY(target), INT((int)N), INT((int)C));
    expect_floats(r, loss, wanted, 1e-4, 1e-4);
    expect_floats(r, x, dx, 1e-4, 1e-5);
    budget(r, "sectors read", "gld_sec", 1600 + 128, 1600);
    budget(r, "sectors written", "gst_sec", 544, 544);
    budget(r, "barriers (warps arriving)", "barriers", 0, 0);
}

static void run_dbias(struct Run *r)
{
    size_t N = (size_t)case_size(r);
    size_t C = case_counted(r) ? 64 : (size_t)case_random(r, 1, 99);
    struct Array *dy = input_floats(r, "dy", N * C, -1, 1);
    struct Array *y = input_floats(r, "y", N * C, 0, 1);
    struct Array *dx = output_floats(r, "dx", N * C);
    struct Array *db = output_floats(r, "db", C);
    float *each = wanted_floats(r, N * C), *sums = wanted_floats(r, C);
    for (size_t c = 0; c < C; c++) {
        double sum = 0;
        for (size_t i = c; i < N * C; i += C) {
            double slope = dy->f[i] * (double)y->f[i] * (1 - y->f[i]);
            each[i] = (float)slope;
            sum += slope;
        }
        sums[c] = (float)sum;
    }
    LAUNCH(r, "sigmoid_grad", blocks_for(8 * C, 256), ARRAY(dx), ARRAY(db),
           ARRAY(dy), ARRAY(y), INT((int)N), INT((int)C));
    expect_floats(r, dx, each, 1e-5, 1e-6);
    expect_floats(r, db, sums, 1e-5, 2e-5);
    budget(r, "sectors read", "gld_sec", 2048, 2048);
    budget(r, "sectors written", "gst_sec", 1032, 1032);
    budget(r, "bank conflicts", "sld_conf+sst_conf", 0, 0);
    budget(r, "barriers (warps arriving)", "barriers", 64, 16);
}

static int tensor_size(struct Run *r, size_t t)
{
    if (case_counted(r))
        return t % 8 == 5 ? 0 : (int)(t * 37 % 300) + 1;
    return case_random(r, 0, 3) == 0 ? 0 : case_random(r, 1, 600);
}

static void run_tensors(struct Run *r)
{
    size_t T = (size_t)case_size(r);
    struct Array *scale = input_floats(r, "scale", T, -1, 1);
    struct Array *begin = input_ints(r, "begin", T + 1, 0, 1);
    struct Array *first = input_ints(r, "first", T + 1, 0, 1);
    for (size_t t = 0; t < T; t++) {
        int size = tensor_size(r, t) + (t + 1 == T && begin->i[t] == 0);
        begin->i[t + 1] = begin->i[t] + size;
        first->i[t + 1] = first->i[t] + (size + 255) / 256;
    }
    refill(r, begin);
    refill(r, first);
    size_t n = (size_t)begin->i[T], blocks = (size_t)first->i[T];
    struct Array *x = in_place(input_floats(r, "x", n, -1, 1));
    float *wanted = wanted_floats(r, n);
    for (size_t t = 0; t < T; t++)
        for (int i = begin->i[t]; i < begin->i[t + 1]; i++)
            wanted[i] = x->f[i] * scale->f[t];
    LAUNCH(r, "scale_all", blocks_for(256 * blocks, 256), ARRAY(x),
           ARRAY(scale), ARRAY(begin), ARRAY(first), INT((int)T));
    expect_floats(r, x, wanted, 1e-6, 0);
    budget(r, "load requests", "gld_req", 20000, 13754);
    budget(r, "sectors written", "gst_sec", 3027, 3027);
    budget(r, "barriers (warps arriving)", "barriers", 0, 0);
}

/* 64 bits, the lower half first: Philox with two words. */
static uint64_t random_bits(uint32_t i, uint32_t step)
{
    for (uint32_t round = 0, key = 2011; round < 10; round++) {
        uint64_t product = (uint64_t)0xd256d193 * i;
        i = (uint32_t)(product >> 32) ^ key ^ step;
        step = (uint32_t)product;
        key += 0x9e3779b9;
    }
    return (uint64_t)step << 32 | i;
}

static uint16_t moved(uint16_t old, float by, uint32_t chance)
{
    uint32_t bits = (uint32_t)old << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    x += by;
    memcpy(&bits, &x, sizeof x);
    return (uint16_t)((bits + chance) >> 16);
}

static void run_chance(struct Run *r)
{
    size_t n = 4 * (size_t)case_size(r);
    int step = case_random(r, 1, 1000000);
    struct Array *g = input_floats(r, "g", n, -1, 1);
    struct Array *w = in_place(input_array(r, "w", ARRAY_BF16, n));
    uint16_t *wanted = (uint16_t *)wanted_ints(r, n);
    for (size_t i = 0; i < n; i++) {
        int magnitude = case_random(r, 0x3e00, 0x3fff);
        w->h[i] = (uint16_t)(magnitude | case_random(r, 0, 1) << 15);
        uint64_t bits = random_bits((uint32_t)(i / 4), (uint32_t)step);
        wanted[i] = moved(w->h[i], -0x1p-9f * g->f[i],
                          (uint32_t)(bits >> (i % 4 * 16)) & 0xffff);
    }
    refill(r, w);
    LAUNCH(r, "move", blocks_for(n / 4, 128), ARRAY(w), ARRAY(g),
           FLOAT(0x1p-9f), INT((int)n), INT(step));
    expect_bits(r, w, wanted);
    budget(r, "warp instructions", "inst", 4500, 3072);
    budget(r, "sectors read", "gld_sec", 800, 768);
    budget(r, "sectors written", "gst_sec", 256, 256);
}

extern const struct Exercise fused_operators_exercises[];
const struct Exercise fused_operators_exercises[] = {
    /* exercises of fused-operators */
    { .name = "fused-operators/classifier",
      .title = "broken: loss and gradient in place",
      .difficulty = 2, .run = run_classifier,
      .size = { 1, 7, 8, 9, 32 }, .largest = 40,
      .hint = { "What does x[target[n]] hold when the loss is computed?  "
                "__syncwarp() keeps loads before stores of other lanes.",
                "Subtract the maximum of the row before each exponential, and "
                "add it to the logarithm again.",
                "All lanes need the maximum: shuffle as warp_sum does." } },
    { .name = "fused-operators/dbias", .title = "slow: a sum after the fact",
      .difficulty = 1, .run = run_dbias,
      .size = { 1, 7, 9, 33, 100, 128 }, .largest = 150,
      .hint = { "Which array does the kernel read although it has just "
                "computed all of its numbers?",
                "A thread writes a number of dx and later adds it to a sum.  "
                "Let it do both while the number is in a register.  Load y "
                "into a register too: the compiler must assume that a store "
                "to dx may change it." } },
    { .name = "fused-operators/tensors",
      .title = "one launch for all tensors",
      .difficulty = 2, .run = run_tensors,
      .size = { 1, 2, 3, 16, 33, 148 }, .largest = 60,
      .hint = { "How many loads does a block of the last tensor make before "
                "it finds its tensor?  first never falls.",
                "Keep two bounds with first[low] <= b < first[high], and look "
                "at the middle between them.",
                "Which of two tensors with equal first is the empty one?  "
                "The invariant gives the right one without a special case." } },
    { .name = "fused-operators/chance",
      .title = "random bits for four weights",
      .difficulty = 3, .run = run_chance,
      .size = { 1, 2, 33, 127, 129, 1024 }, .largest = 300,
      .hint = { "Which weights need the bits of the same call, and which "
                "threads have these weights?",
                "Give a thread four neighbouring weights.  To read them one by "
                "one would touch too many sectors: read w as uint2 and g as "
                "float4.",
                "A word of the uint2 holds two weights: the first is the word "
                "shifted up by 16 bits, the second is the word without its "
                "lower half." } },
    { .name = NULL },
};
