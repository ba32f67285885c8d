/* Tangled from chapters/course/recomputation-solutions.nw, "Solutions: recomputation".  Edit it there. */

#include "course/course.h"

#include <math.h>

/* graders of recomputation */
static bool dropout_keeps(uint32_t seed, uint32_t i)
{
    uint32_t h = (i ^ seed) * 0x9e3779b1u;
    h = (h ^ h >> 15) * 0x85ebca77u;
    return (h ^ h >> 13) >> 31;
}

static void run_dropout(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    int seed = case_random(r, 0, 1 << 30);
    struct Array *x = input_floats(r, "x", n, 1, 2);
    struct Array *dy = input_floats(r, "dy", n, 1, 2);
    struct Array *mask = zero_ints(r, "mask", n);
    struct Array *y = output_floats(r, "y", n);
    struct Array *dx = output_floats(r, "dx", n);
    float *wanted_y = wanted_floats(r, n), *wanted_dx = wanted_floats(r, n);
    for (size_t i = 0; i < n; i++)
        if (dropout_keeps((uint32_t)seed, (uint32_t)i)) {
            wanted_y[i] = 2 * x->f[i];
            wanted_dx[i] = 2 * dy->f[i];
        }
    LAUNCH(r, "forward", blocks_for(n, 256), ARRAY(y), ARRAY(mask),
           ARRAY(x), INT(seed), INT((int)n));
    LAUNCH(r, "backward", blocks_for(n, 256), ARRAY(dx), ARRAY(mask),
           ARRAY(dy), INT(seed), INT((int)n));
    expect_floats(r, y, wanted_y, 0, 0);
    expect_floats(r, dx, wanted_dx, 0, 0);
    budget(r, "requests to read", "gld_req", 128, 128);
    budget(r, "sectors written", "gst_sec", 512, 512);
}

static void run_bits(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_floats(r, "x", n, -1, 1);
    struct Array *dy = input_floats(r, "dy", n, 1, 2);
    struct Array *signs = output_ints(r, "signs", (n + 31) / 32);
    struct Array *y = output_floats(r, "y", n);
    struct Array *dx = output_floats(r, "dx", n);
    int *words = wanted_ints(r, (n + 31) / 32);
    float *wanted_y = wanted_floats(r, n), *wanted_dx = wanted_floats(r, n);
    for (size_t i = 0; i < n; i++)
        if (x->f[i] > 0) {
            uint32_t *word = (uint32_t *)words + i / 32;
            *word |= 1u << i % 32;
            wanted_y[i] = x->f[i];
            wanted_dx[i] = dy->f[i];
        }
    LAUNCH(r, "forward", blocks_for(n, 128), ARRAY(y), ARRAY(signs),
           ARRAY(x), INT((int)n));
    LAUNCH(r, "backward", blocks_for(n, 128), ARRAY(dx), ARRAY(signs),
           ARRAY(dy), INT((int)n));
    expect_floats(r, y, wanted_y, 0, 0);
    expect_ints(r, signs, words);
    expect_floats(r, dx, wanted_dx, 0, 0);
    budget(r, "requests to read", "gld_req", 192, 192);
    budget(r, "sectors read", "gld_sec", 576, 576);
    budget(r, "sectors written", "gst_sec", 576, 576);
}

static void run_normalised(struct Run *r)
{
    int rows = case_size(r);
    size_t n = (size_t)rows * 64;
    struct Array *x = input_floats(r, "x", n, -1, 1);
    struct Array *dy = input_floats(r, "dy", n, -1, 1);
    struct Array *mean = input_floats(r, "mean", (size_t)rows, -1, 1);
    struct Array *rstd = input_floats(r, "rstd", (size_t)rows, 1, 2);
    struct Array *xhat = zero_floats(r, "xhat", n);
    struct Array *dscale = output_floats(r, "dscale", 64);
    float *wanted = wanted_floats(r, 64);
    for (size_t c = 0; c < 64; c++) {
        double sum = 0;
        for (size_t i = 0; i < (size_t)rows; i++)
            sum += (double)dy->f[i * 64 + c] * (double)rstd->f[i] *
                   ((double)x->f[i * 64 + c] - (double)mean->f[i]);
        wanted[c] = (float)sum;
    }
    LAUNCH(r, "normalise", blocks_for(n, 256), ARRAY(xhat), ARRAY(x),
           ARRAY(mean), ARRAY(rstd), INT(rows));
    LAUNCH(r, "gradient", blocks_for(64, 32), ARRAY(dscale), ARRAY(xhat),
           ARRAY(dy), ARRAY(x), ARRAY(mean), ARRAY(rstd), INT(rows));
    expect_floats(r, dscale, wanted, 0, 1e-4);
    budget(r, "sectors read", "gld_sec", 800, 800);
    budget(r, "sectors written", "gst_sec", 8, 8);
}

static void run_segments(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *kept = input_floats(r, "kept", 4 * n, -1.5f, 1.5f);
    struct Array *dx = output_floats(r, "dx", n);
    float *wanted = wanted_floats(r, n);
    for (size_t i = 0; i < n; i++) {
        double g = 1;                   /* from states in fp32, as kept  */
        for (size_t s = 0; s < 4; s++) {
            float v = s ? kept->f[(s - 1) * n + i] : kept->f[i];
            for (int k = 0; s && k < 4; k++)
                v = fmaf(v, v, -0.75f);
            kept->f[s * n + i] = v;
            for (int k = 0; k < 4; k++) {
                g *= 2 * (double)v;
                v = fmaf(v, v, -0.75f);
            }
        }
        wanted[i] = (float)g;
    }
    refill(r, kept);
    LAUNCH(r, "back", blocks_for(n, 128), ARRAY(dx), ARRAY(kept),
           INT((int)n));
    expect_floats(r, dx, wanted, 1e-3, 1e-3);
    budget(r, "sectors read", "gld_sec", 512, 512);
    budget(r, "FLOP", "flop", 1024 * 64, 1024 * 55);
    budget(r, "sectors of local memory", "lld_sec+lst_sec", 0, 0);
}

extern const struct Exercise recomputation_exercises[];
const struct Exercise recomputation_exercises[] = {
    /* exercises of recomputation */
    { .name = "recomputation/mask", .title = "a mask that is not kept",
      .difficulty = 1, .run = run_dropout,
      .size = { 1, 255, 257, 1001, 2048 },
      .largest = 2000,
      .hint = { "What does the backward kernel need in order to know what "
                "the forward kernel knew?",
                "Both can call kept(seed, i)." } },
    { .name = "recomputation/bits", .title = "a bit for each element",
      .difficulty = 2, .run = run_bits,
      .size = { 1, 31, 33, 129, 1001, 2048 },
      .largest = 2000,
      .large = 1 << 24,
      .hint = { "A ballot is a word with a bit for each lane.",
                "A lane beyond the end votes with 0; so it must not return "
                "before." } },
    { .name = "recomputation/normalised", .title = "slow: a stored copy",
      .difficulty = 1, .run = run_normalised,
      .size = { 1, 2, 7, 33, 40 }, .largest = 40,
      .hint = { "The second kernel has all that the first one has.",
                "A launch cannot be left out, but a kernel may do nothing." } },
    { .name = "recomputation/segments", .title = "broken: back through a chain",
      .difficulty = 2, .run = run_segments,
      .size = { 1, 127, 129, 1001, 1024 },
      .largest = 1000,
      .hint = { "What the sanitizer reports comes first: how many segments "
                "are there, and what are their numbers?",
                "How many layers has a segment, and how many factors does "
                "it give?" } },
    { .name = NULL },
};
