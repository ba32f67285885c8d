/* Tangled from chapters/course/fusion-solutions.nw, "Solutions: fusion".  Edit it there. */

#include "course/course.h"

#include <math.h>

/* graders of fusion */
static void run_walks(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_floats(r, "x", n, -4, 4);
    struct Array *y = output_floats(r, "y", n);
    float *wanted = wanted_floats(r, n);
    for (size_t i = 0; i < n; i++) {
        if (case_random(r, 0, 9) == 0)
            x->f[i] = INFINITY;
        wanted[i] = x->f[i] < INFINITY ? 1 : NAN;
    }
    refill(r, x);
    struct Shape eight = { { 8, 1, 1 }, { 256, 1, 1 }, 0 };
    LAUNCH(r, "walks", eight, ARRAY(y), ARRAY(x), INT((int)n));
    expect_floats(r, y, wanted, 0, 1e-5);
    budget(r, "sectors read", "gld_sec", 1024, 1024);
    budget(r, "sectors written", "gst_sec", 1024, 1024);
}

static void run_gelu(struct Run *r)
{
    size_t rows = (size_t)case_size(r), c = case_timed(r) ? 768 : 64;
    if (!case_counted(r) && !case_timed(r))
        c = 4 * (size_t)case_random(r, 1, 30);
    struct Array *x = input_floats(r, "x", rows * c, -4, 4);
    struct Array *bias = input_floats(r, "bias", c, -3, 3);
    struct Array *y = output_floats(r, "y", rows * c);
    float *wanted = wanted_floats(r, rows * c);
    for (size_t i = 0; i < rows * c; i++) {
        if (case_random(r, 0, 9) == 0)
            x->f[i] *= 24;
        double v = (double)x->f[i] + (double)bias->f[i % c];
        double u = 0.7978845608 * (v + 0.044715 * v * v * v);
        wanted[i] = (float)(v / 2 * (1 + tanh(u)));
    }
    refill(r, x);
    LAUNCH(r, "gelu", blocks_for(rows * c / 4, 256), ARRAY(y), ARRAY(x),
           ARRAY(bias), INT((int)c), INT((int)(rows * c)));
    expect_floats(r, y, wanted, 1e-5, 1e-5);
    budget(r, "requests to read", "gld_req", 128, 128);
    budget(r, "requests to write", "gst_req", 64, 64);
    budget(r, "sectors written", "gst_sec", 1024, 1024);
}

static void run_layernorm(struct Run *r)
{
    size_t c = (size_t)case_size(r), rows = 16, n = rows * c;
    struct Array *a = input_floats(r, "r", n, 99, 101);
    struct Array *x = input_floats(r, "x", n, 99, 100);
    struct Array *w = input_floats(r, "w", c, -2, 2);
    struct Array *b = input_floats(r, "b", c, -1, 1);
    struct Array *y = output_floats(r, "y", n);
    struct Array *s = output_floats(r, "s", n);
    float *ys = wanted_floats(r, n), *ss = wanted_floats(r, n);
    for (size_t i = 0; i < n; i += c) {
        double mean = 0, squares = 0;
        for (size_t k = i; k < i + c; k++) {
            ss[k] = a->f[k] + x->f[k];
            mean += (double)ss[k] / (double)c;
        }
        for (size_t k = i; k < i + c; k++)
            squares += pow((double)ss[k] - mean, 2);
        double rstd = 1 / sqrt(squares / (double)c + 0.00001);
        for (size_t k = i; k < i + c; k++)
            ys[k] = (float)(((double)ss[k] - mean) * rstd *
                                (double)w->f[k - i] + (double)b->f[k - i]);
    }
    struct Shape warps = { { (uint32_t)rows, 1, 1 }, { 32, 1, 1 }, 0 };
    LAUNCH(r, "layernorm", warps, ARRAY(y), ARRAY(s), ARRAY(a), ARRAY(x),
           ARRAY(w), ARRAY(b), INT((int)c));
    expect_floats(r, s, ss, 0, 0);
    expect_floats(r, y, ys, 0, 0.005);
    budget(r, "sectors read", "gld_sec", 2048, 2048);
    budget(r, "sectors written", "gst_sec", 1024, 1024);
}

static void run_loss(struct Run *r)
{
    size_t c = (size_t)case_size(r), rows = 16;
    struct Array *x = input_floats(r, "x", rows * c, -20, 20);
    struct Array *target = input_ints(r, "target", rows, 0, (int)c);
    struct Array *y = output_floats(r, "loss", rows);
    float *wanted = wanted_floats(r, rows);
    for (size_t row = 0; row < rows; row++) {
        float *f = &x->f[row * c];
        double m = -INFINITY, sum = 0;
        for (size_t i = 0; i < c; i++) {
            f[i] += row % 2 ? -300 : 200;
            m = fmax(m, (double)f[i]);
        }
        for (size_t i = 0; i < c; i++)
            sum += exp((double)f[i] - m);
        wanted[row] = (float)(m + log(sum) -
                              (double)f[target->i[row]]);
    }
    refill(r, x);
    struct Shape warps = { { (uint32_t)rows, 1, 1 }, { 32, 1, 1 }, 0 };
    LAUNCH(r, "loss", warps, ARRAY(y), ARRAY(x), ARRAY(target),
           INT((int)c));
    expect_floats(r, y, wanted, 0, 0.001);
    budget(r, "sectors read", "gld_sec", 1056, 1056);
    budget(r, "sectors written", "gst_sec", 16, 16);
}

extern const struct Exercise fusion_exercises[];
const struct Exercise fusion_exercises[] = {
    /* exercises of fusion */
    { .name = "fusion/walks", .title = "slow: three walks over an array",
      .difficulty = 1, .run = run_walks,
      .size = { 31, 33, 255, 257, 2047, 2049, 8192 }, .largest = 3000,
      .hint = { "The second walk reads what the first has written.  Which "
                "variable could hold it instead of an array?",
                "One loop, one load, one store.  The sine and the cosine stay "
                "in registers." } },
    { .name = "fusion/gelu", .title = "bias and GELU",
      .difficulty = 2, .run = run_gelu,
      .size = { 1, 3, 17, 33, 100, 128 }, .largest = 100,
      .large = 1 << 15,
      .hint = { "A float4 of x has its bias in one float4 as well, because c "
                "is a multiple of four.",
                "(1 + tanh(u)) / 2 is 1 / (1 + exp(-2u)).",
                "exp(2u) / (1 + exp(2u)) is the same on paper, and a NaN for "
                "large u." } },
    { .name = "fusion/layernorm",
      .title = "residual and LayerNorm in one read",
      .difficulty = 3, .run = run_layernorm,
      .size = { 2, 31, 33, 100, 255, 256 }, .largest = 250,
      .hint = { "A lane has at most eight numbers of a row: float v[8], in "
                "loops with the constant bound 8, stays in registers.",
                "Beyond the end of the row a lane holds a 0.  It changes no "
                "sum, but (0 - mean) squared does: test again there.",
                "Two sums in one walk, of s and of s squared, lose all digits "
                "here.  Registers can be walked over twice for free." } },
    { .name = "fusion/loss", .title = "broken: the loss of a row",
      .difficulty = 3, .run = run_loss,
      .size = { 1, 2, 31, 33, 100, 255, 512 }, .largest = 250,
      .hint = { "What is the running sum of a row whose logits are all near "
                "-300?",
                "Two sums can only be added if they belong to one maximum: "
                "rescale both to the larger one, in the shuffles too.",
                "A lane without numbers must not make a NaN: infinity less "
                "infinity is one.  -3e38f is low enough." } },
    { .name = NULL },
};
