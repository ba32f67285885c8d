/* Tangled from chapters/course/single-precision-solutions.nw, "Solutions: GPT-2 in single precision".  Edit it there. */

#include "course/course.h"

#include <math.h>
#include <string.h>

/* graders of single precision */
/* x to 11 bits, toward zero */
static double cut_to_tf32(double x)
{
    int e;
    double m = frexp(x, &e);            /* 0.5 <= |m| < 1                */
    return ldexp(trunc(ldexp(m, 11)), e - 11);
}

static void run_parts(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_floats(r, "x", n, -1, 1);
    struct Array *parts = output_floats(r, "parts", 3 * n);
    float *wanted = wanted_floats(r, 3 * n);
    uint32_t special[] = { 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
                           0x3f7fffff, 0x7f7fffff, 0, 0xbf801000 };
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = special[i / 3 % 8];
        x->f[i] = ldexpf(x->f[i] + copysignf(1, x->f[i]),
                         case_random(r, -90, 60));
        if (i % 3 == 1)
            memcpy(&x->f[i], &bits, sizeof bits);
        double v = (double)x->f[i], first = cut_to_tf32(v);
        double second = cut_to_tf32(v - first);
        bool finite = isfinite(x->f[i]);
        wanted[i] = finite ? (float)first : x->f[i];
        wanted[n + i] = finite ? (float)second : 0;
        wanted[2 * n + i] = finite ? (float)(v - first - second) : 0;
    }
    refill(r, x);
    LAUNCH(r, "split", blocks_for(n, 256), ARRAY(parts), ARRAY(x),
           INT((int)n));
    expect_floats(r, parts, wanted, 0, 0);
    budget(r, "sectors read", "gld_sec", 256, 256);
    budget(r, "sectors written", "gst_sec", 3 * 256, 3 * 256);
    budget(r, "branches that split", "branch_div", 64, 0);
}

static void run_tanh(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_floats(r, "x", n, -40, 40);
    struct Array *dy = input_floats(r, "dy", n, 0.5f, 2);
    struct Array *dx = output_floats(r, "dx", n);
    float *wanted = wanted_floats(r, n);
    const float special[] = { 0, 8.5f, -8.5f, 100, -100, INFINITY,
                              -INFINITY, NAN };
    for (size_t i = 0; i < n; i++) {
        if (i % 3 == 1)
            x->f[i] /= 20;
        if (i % 5 == 0)
            x->f[i] = special[i / 5 % 8];
        if (i % 11 == 4)
            dy->f[i] = -dy->f[i];
        double c = cosh((double)x->f[i]);
        wanted[i] = (float)((double)dy->f[i] / c / c);
    }
    refill(r, x), refill(r, dy);
    LAUNCH(r, "tanh_backward", blocks_for(n, 256), ARRAY(dx), ARRAY(dy),
           ARRAY(x), INT((int)n));
    expect_floats(r, dx, wanted, 2e-5, 1e-37);
    budget(r, "lanes of special functions", "special", 4 * 2048,
           2 * 2048);
    budget(r, "sectors read", "gld_sec", 512, 512);
    budget(r, "sectors written", "gst_sec", 256, 256);
}

static struct Array *input_tf32(struct Run *r, const char *name, size_t n)
{
    struct Array *a = input_floats(r, name, n, -1, 1);
    for (size_t i = 0; i < n; i++)
        a->f[i] = (float)cut_to_tf32((double)a->f[i]);
    refill(r, a);
    return a;
}

static void run_rows(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *p = input_tf32(r, "p", 64 * n);
    struct Array *v = input_tf32(r, "v", 64 * 32);
    struct Array *y = output_floats(r, "y", 32 * n);
    float *wanted = wanted_floats(r, 32 * n);
    for (size_t i = 0; i < 32 * n; i++) {
        double sum = 0;
        for (size_t k = 0; k < 64; k++)
            sum += (double)p->f[i / 32 * 64 + k] *
                   (double)v->f[32 * k + i % 32];
        wanted[i] = (float)sum;
    }
    LAUNCH(r, "add_rows", blocks_for(2 * n, 32), ARRAY(y), ARRAY(p),
           ARRAY(v), INT((int)n));
    expect_floats(r, y, wanted, 0, 1e-5);
    budget(r, "instructions of tensor cores", "tensor_inst", 4 * 32,
           4 * 32);
    budget(r, "bank conflicts", "sld_conf+sst_conf", 0, 0);
    budget(r, "sectors read", "gld_sec", 4 * (128 + 256), 4 * (128 + 256));
    budget(r, "requests to read", "gld_req", 4 * (16 + 16), 4 * (16 + 16));
    budget(r, "bytes of shared memory", "smem_static", 64 * 36 * 4,
           64 * 36 * 4);
}

/* With both operands in 22 bits, cut off, and without a2 b2, a product is
 * off by at most 2^-19 of |x w|: 16 of them by 3.1e-5.  Two products, or
 * one, are off by some 2^-11. */
static void run_three(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_floats(r, "x", 16 * n, -1, 1);
    struct Array *w = input_floats(r, "w", 16 * 8, -1, 1);
    struct Array *y = output_floats(r, "y", 8 * n);
    float *wanted = wanted_floats(r, 8 * n);
    for (size_t i = 0; i < 8 * n; i++) {
        double sum = 0;
        for (size_t k = 0; k < 16; k++)
            sum += (double)x->f[i / 8 * 16 + k] *
                   (double)w->f[i % 8 * 16 + k];
        wanted[i] = (float)sum;
    }
    LAUNCH(r, "product", blocks_for(2 * n, 32), ARRAY(y), ARRAY(x),
           ARRAY(w), INT((int)n));
    expect_floats(r, y, wanted, 0, 3.2e-5);
    budget(r, "instructions of tensor cores", "tensor_inst", 4 * 8, 4 * 6);
    budget(r, "sectors read", "gld_sec", 4 * 96, 4 * 96);
    /* A reader may round each part of six numbers by a multiplication. */
    budget(r, "multiplications of floats", "fmul+ffma",
           4 * 32 * 2 * 12, 0);
}

/* A cut loses at most 2^-15 of a sum.  Two in a row, the first when the
 * sum is half of what it will be, lose 1.5 times as much: 4.6e-5. */
static void run_pieces(struct Run *r)
{
    size_t steps = (size_t)case_size(r), deep = 8 * steps;
    struct Array *x = input_floats(r, "x", 16 * deep, 0.1f, 1);
    struct Array *w = input_floats(r, "w", 8 * deep, 0.1f, 1);
    struct Array *y = output_floats(r, "y", 16 * 8);
    float *wanted = wanted_floats(r, 16 * 8);
    for (size_t i = 0; i < 16 * deep; i++)
        x->f[i] = (float)cut_to_tf32((double)x->f[i]);
    for (size_t i = 0; i < 8 * deep; i++)
        w->f[i] = (float)cut_to_tf32((double)w->f[i]);
    refill(r, x), refill(r, w);
    for (size_t i = 0; i < 16 * 8; i++) {
        double sum = 0;
        for (size_t k = 0; k < deep; k++)
            sum += (double)x->f[i / 8 * deep + k] *
                   (double)w->f[i % 8 * deep + k];
        wanted[i] = (float)sum;
    }
    LAUNCH(r, "product", blocks_for(32, 32), ARRAY(y), ARRAY(x), ARRAY(w),
           INT((int)steps));
    expect_floats(r, y, wanted, 5e-5, 0);
    budget(r, "instructions of tensor cores", "tensor_inst", 128, 128);
    budget(r, "lanes adding floats", "fadd", 128 * 128, 64 * 128);
    budget(r, "lanes multiplying floats", "fmul+ffma", 0, 0);
    budget(r, "sectors read", "gld_sec", 128 * 48, 128 * 48);
}

extern const struct Exercise single_precision_exercises[];
const struct Exercise single_precision_exercises[] = {
    /* exercises of single precision */
    { .name = "single-precision/parts", .title = "three parts of a number",
      .difficulty = 1, .run = run_parts,
      .size = { 1, 2, 31, 257, 1001, 2048 }, .largest = 1500,
      .hint = { "The difference of a number and its first part has 13 "
                "bits at most, and a float holds it without rounding.",
                "An infinity minus itself is a NaN.  A NaN whose bits are "
                "all in the lower 13 becomes an infinity when they are "
                "cut off.",
                "isfinite(x) ? x - first : 0, and the same bits of x for "
                "the first part if it is not." } },
    { .name = "single-precision/tanh", .title = "broken: one minus a square",
      .difficulty = 2, .run = run_tanh,
      .size = { 1, 6, 41, 257, 1001, 2048 }, .largest = 1500,
      .hint = { "At x = 8, t is a float near 1, and 1 - t * t has only "
                "the digits that rounding has left in t.  (1 - t) (1 + t) "
                "has no more.",
                "Write 1 - tanh^2 with e = exp(-2 |x|), and without a "
                "subtraction.",
                "1 - t = 2 e / (1 + e), and 1 + t = 2 / (1 + e).  With -2 "
                "x in place of -2 |x|, e overflows for one sign of x." } },
    { .name = "single-precision/rows", .title = "slow: rows that meet in banks",
      .difficulty = 3, .run = run_rows, .size = { 1, 8, 9, 16, 17, 64 },
      .largest = 60,
      .hint = { "Lane 4 g + t reads bank 36 t + 8 c + g modulo 32.  Which "
                "lanes meet?",
                "The sum over k may be taken in any order, if p and v "
                "have the same order.",
                "Let the rows 2 t and 2 t + 1 of v play the part of rows "
                "t and t + 4.  Then which two columns of p does a lane "
                "need?" } },
    { .name = "single-precision/three", .title = "three products for one",
      .difficulty = 3, .run = run_three,
      .size = { 1, 8, 9, 16, 33, 64 },
      .largest = 60,
      .hint = { "A float is nearly the sum of two TF32 numbers.  The "
                "first has its upper 11 bits, the second the next 11.",
                "The tensor core cuts the last part.  The first has to be "
                "cut by you, since the second is computed from it.",
                "a b is nearly a1 b1 + a1 b2 + a2 b1.  In which order do "
                "you add them?" } },
    { .name = "single-precision/pieces",
      .title = "broken: a sum that is cut off",
      .difficulty = 2, .run = run_pieces,
      .size = { 1, 2, 3, 7, 64, 128 },
      .largest = 100,
      .hint = { "Each cut loses up to 2^-15 of the sum so far.  How often "
                "is a long sum cut?",
                "Let an mma begin with a sum of 0, and add its result to "
                "d by ordinary additions.",
                "Two mma may share a sum.  What if their number is odd?" } },
    { .name = NULL },
};
