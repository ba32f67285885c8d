/* Tangled from chapters/course/low-precision-solutions.nw, "Solutions: low precision".  Edit it there. */

#include "course/course.h"

#include <math.h>
#include <string.h>

/* graders of low-precision */
static void run_cast(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_floats(r, "x", n, -100, 100);
    struct Array *y = output_array(r, "y", ARRAY_BF16, n);
    uint16_t *wanted = (uint16_t *)wanted_ints(r, n / 2 + 1);
    for (size_t i = 0; i < n; i++) {
        uint32_t bits, upper = (uint32_t)case_random(r, 0, 0xffff);
        uint32_t lower = (uint32_t)case_random(r, 0, 0xffff);
        memcpy(&bits, &x->f[i], sizeof bits);
        int kind = case_random(r, 0, 7);
        if (kind == 0)
            bits = (bits & 0xffff0000) | 0x8000;
        else if (kind == 1)
            bits = upper << 16 | lower;
        else if (kind == 2)
            bits = (upper & 0x8000) << 16 | 0x7f800000 | (lower & 1);
        else if (kind == 3)
            bits = upper << 16 | 0x7f800000 | lower;
        memcpy(&x->f[i], &bits, sizeof bits);
        wanted[i] = (uint16_t)(bits >> 16);
        uint32_t rest = bits & 0xffff;
        if ((bits & 0x7fffffff) > 0x7f800000)
            wanted[i] |= 0x40;
        else if (rest > 0x8000 || (rest == 0x8000 && (wanted[i] & 1)))
            wanted[i]++;
    }
    refill(r, x);
    LAUNCH(r, "cast", blocks_for(n, 256), ARRAY(y), ARRAY(x), INT((int)n));
    expect_bits(r, y, wanted);
    budget(r, "sectors read", "gld_sec", 2048, 2048);
    budget(r, "sectors written", "gst_sec", 1024, 1024);
}

static void run_quantize(struct Run *r)
{
    size_t n = (size_t)case_size(r), blocks = (n + 31) / 32;
    struct Array *x = input_floats(r, "x", n, -1, 1);
    struct Array *a = output_floats(r, "a", blocks);
    struct Array *q = output_array(r, "q", ARRAY_BYTE, n);
    float *most = wanted_floats(r, blocks);
    uint8_t *wanted = (uint8_t *)wanted_ints(r, n / 4 + 1);
    for (size_t b = 0; b < blocks; b++) {
        size_t end = b * 32 + 32 < n ? b * 32 + 32 : n;
        int power = case_random(r, -10, 10);
        for (size_t i = b * 32; i < end; i++) {
            x->f[i] = power == 10 ? 0 : ldexpf(x->f[i], power);
            most[b] = fmaxf(most[b], fabsf(x->f[i]));
        }
        float scale = most[b] > 0 ? 127.0f / most[b] : 0;
        for (size_t i = b * 32; i < end; i++)
            wanted[i] = (uint8_t)(int8_t)lrintf(x->f[i] * scale);
    }
    refill(r, x);
    LAUNCH(r, "quantize", blocks_for(n, 256), ARRAY(q), ARRAY(a), ARRAY(x),
           INT((int)n));
    expect_floats(r, a, most, 0, 0);
    expect_bits(r, q, wanted);
    budget(r, "sectors read", "gld_sec", 2048, 2048);
    budget(r, "requests to read", "gld_req", 512, 512);
    budget(r, "barriers (warps arriving)", "barriers", 0, 0);
}

static void run_unscale(struct Run *r)
{
    const float bad[] = { 0, INFINITY, -INFINITY, NAN };
    size_t n = (size_t)case_size(r);
    for (int kind = 0; kind < 4; kind++) {
        struct Array *g = in_place(input_floats(r, "g", n, -1e38f, 1e38f));
        struct Array *overflow = zero_ints(r, "overflow", 1);
        float *wanted = wanted_floats(r, n);
        int *any = wanted_ints(r, 1);
        any[0] = kind > 0;
        size_t step = case_counted(r) && kind == 3 ? 2 : n;
        size_t at = (size_t)case_random(r, 0, (int)n - 1) % step;
        for (; kind && at < n; at += step)
            g->f[at] = bad[kind];
        refill(r, g);
        for (size_t i = 0; i < n; i++)
            wanted[i] = g->f[i] * 0x1p-16f;
        LAUNCH(r, "unscale", blocks_for(n, 256), ARRAY(g), ARRAY(overflow),
               FLOAT(0x1p-16f), INT((int)n));
        expect_ints(r, overflow, any);
        expect_floats(r, g, wanted, 0, 0);
    }
    budget(r, "bytes of atomic operations", "gatom_bytes+gred_bytes", 72,
           72);
    budget(r, "sectors read", "gld_sec", 2048, 2048);
    budget(r, "sectors written", "gst_sec", 2066, 2048);
}

static void run_amax(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    for (int nan = 0; nan < 2; nan++) {
        struct Array *x = input_floats(r, "x", n, -100, 50);
        struct Array *y = zero_floats(r, "y", 1);
        float *wanted = wanted_floats(r, 1);
        for (size_t i = 0; i < n; i++)
            wanted[0] = fmaxf(wanted[0], fabsf(x->f[i]));
        if (nan)
            x->f[case_random(r, 0, (int)n - 1)] = wanted[0] = NAN;
        refill(r, x);
        struct Shape eight = { { 8, 1, 1 }, { 256, 1, 1 }, 0 };
        LAUNCH(r, "amax", eight, ARRAY(y), ARRAY(x), INT((int)n));
        expect_floats(r, y, wanted, 0, 0);
    }
    budget(r, "bytes of atomic operations", "gatom_bytes+gred_bytes", 64,
           64);
    budget(r, "sectors read", "gld_sec", 2048, 2048);
    budget(r, "barriers (warps arriving)", "barriers", 2 * 128, 128);
}

extern const struct Exercise low_precision_exercises[];
const struct Exercise low_precision_exercises[] = {
    /* exercises of low-precision */
    { .name = "low-precision/cast", .title = "from fp32 to bf16",
      .difficulty = 2, .run = run_cast,
      .size = { 1, 31, 33, 255, 257, 1001, 16384 }, .largest = 3000,
      .large = 1 << 24,
      .hint = { "Adding to the lower half carries into the upper half when the "
                "number has to be rounded up.",
                "0x8000 would be right but for the middles.  There the carry "
                "should depend on the last bit that stays, which is bit 16.",
                "The bits of a NaN, without the sign, are more than "
                "0x7f800000.  Test for it before you add." } },
    { .name = "low-precision/quantize",
      .title = "slow: a scale for each 32 numbers",
      .difficulty = 2, .run = run_quantize,
      .size = { 1, 31, 32, 33, 255, 257, 1001, 16384 }, .largest = 3000,
      .large = 1 << 24,
      .hint = { "In each iteration all lanes read the same number: 32 requests "
                "of one sector each, where one request of four sectors would "
                "bring all 32 numbers.",
                "A block of 32 numbers is a warp.  Shuffles find its maximum.",
                "All lanes need the maximum: use __shfl_xor_sync.  A lane "
                "beyond n takes part, with 0, and leaves later." } },
    { .name = "low-precision/unscale",
      .title = "loss scaling after the backward pass",
      .difficulty = 2, .run = run_unscale,
      .size = { 1, 31, 33, 255, 257, 1001, 4096 }, .largest = 2000,
      .large = 1 << 22,
      .hint = { "Every comparison with a NaN is false.  So ask what a finite "
                "number fulfils, and negate it.",
                "__syncthreads_or(p) is a barrier whose result is true if p "
                "is true in any thread of the block.  All threads must come.",
                "Then one thread calls atomicOr, or atomicMax, only if it has "
                "something to say." } },
    { .name = "low-precision/amax", .title = "broken: the largest magnitude",
      .difficulty = 3, .run = run_amax,
      .size = { 1, 31, 33, 255, 257, 2049, 5001, 8192 }, .largest = 3000,
      .hint = { "The sanitizer names two races: one between the warps of a "
                "block, one between blocks.",
                "There is no atomicMax for floats.  But the bits of numbers "
                "that are not negative, read as integers, have the same order.",
                "fmaxf(v, NaN) is v.  And where is a NaN in the order of the "
                "integers, when its sign is 0?" } },
    { .name = NULL },
};
