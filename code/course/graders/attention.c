/* Tangled from chapters/course/attention-solutions.nw, "Solutions: attention".  Edit it there. */

#include "course/course.h"

#include <math.h>
#include <string.h>

/* graders of attention */
static void run_log_sum(struct Run *r)
{
    int rows = case_size(r), columns = case_random(r, 1, 60);
    if (case_counted(r))
        columns = 64;
    size_t n = (size_t)rows * (size_t)columns;
    struct Array *x = input_floats(r, "x", n, -200, 200);
    int kind = case_random(r, 0, 3);
    for (int i = 0; i < rows * columns; i++)
        if (kind == 1)                  /* rows that only fall, or rise  */
            x->f[i] = (float)(i / columns % 2 ? 1 : -1) *
                      (float)(i % columns) / 2;
        else if (kind == 2)             /* all far below 0               */
            x->f[i] = x->f[i] / 8 - 170;
    refill(r, x);
    struct Array *y = output_floats(r, "y", (size_t)rows);
    float *wanted = wanted_floats(r, (size_t)rows);
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int k = 0; k < columns; k++)
            sum += exp((double)x->f[i * columns + k]);
        wanted[i] = (float)log(sum);
    }
    LAUNCH(r, "log_sum", blocks_for((size_t)rows, 64), ARRAY(y), ARRAY(x),
           INT(rows), INT(columns));
    expect_floats(r, y, wanted, 1e-6, 1e-5);
    budget(r, "requests to read", "gld_req", 256, 256);
    budget(r, "sectors written", "gst_sec", 16, 16);
}

static void run_scores(struct Run *r)
{
    int T = case_size(r);
    size_t t = (size_t)T;
    struct Array *q = input_floats(r, "q", 16 * t, -1, 1);
    struct Array *k = input_floats(r, "k", 16 * t, -1, 1);
    struct Array *s = output_floats(r, "s", t * t);
    float *wanted = wanted_floats(r, t * t);
    for (size_t i = 0; i < t; i++)
        for (size_t j = 0; j < t; j++) {
            double sum = 0;
            for (size_t c = 0; c < 16; c++)
                sum += (double)q->f[16 * i + c] * (double)k->f[16 * j + c];
            wanted[i * t + j] = j <= i ? (float)sum : -INFINITY;
        }
    unsigned tiles = (unsigned)(T + 15) / 16;
    struct Shape shape = { .grid = { tiles, tiles, 1 },
                           .block = { 16, 16, 1 } };
    LAUNCH(r, "scores", shape, ARRAY(s), ARRAY(q), ARRAY(k), INT(T));
    expect_floats(r, s, wanted, 0, 1e-5);
    budget(r, "FLOP", "flop", 36 * 256 * 32, 36 * 256 * 32);
    budget(r, "sectors read", "gld_sec", 2304, 2304);
    budget(r, "sectors written", "gst_sec", 2048, 2048);
    budget(r, "barriers (warps arriving)", "barriers", 36 * 8, 36 * 8);
}

static void run_merge_parts(struct Run *r)
{
    size_t rows = (size_t)case_size(r), n = 32 * rows;
    struct Array *a = input_floats(r, "a", n, -1, 1);
    struct Array *b = input_floats(r, "b", n, -1, 1);
    struct Array *la = input_floats(r, "la", rows, -150, 150);
    struct Array *lb = input_floats(r, "lb", rows, -150, 150);
    for (size_t i = 0; i < rows && !case_counted(r); i++) {
        struct Array *const part[2][2] = { { a, la }, { b, lb } };
        for (int k = 0; k < 2; k++)
            if (case_random(r, 0, 3) == 0) {
                part[k][1]->f[i] = -INFINITY;
                memset(part[k][0]->f + 32 * i, 0, 32 * sizeof(float));
            } else if (case_random(r, 0, 2)) {
                part[k][1]->f[i] = 100 + part[k][1]->f[i] / 100;
            }
    }
    refill(r, a), refill(r, la), refill(r, b), refill(r, lb);
    struct Array *y = output_floats(r, "y", n);
    struct Array *l = output_floats(r, "l", rows);
    float *wanted = wanted_floats(r, n), *sums = wanted_floats(r, rows);
    for (size_t i = 0; i < rows; i++) {
        double wa = exp((double)la->f[i]), wb = exp((double)lb->f[i]);
        sums[i] = (float)log(wa + wb);
        for (size_t c = 32 * i; c < 32 * i + 32 && wa + wb > 0; c++)
            wanted[c] = (float)((wa * (double)a->f[c] +
                                 wb * (double)b->f[c]) / (wa + wb));
    }
    LAUNCH(r, "merge", blocks_for(n, 128), ARRAY(y), ARRAY(l), ARRAY(a),
           ARRAY(la), ARRAY(b), ARRAY(lb), INT((int)rows));
    expect_floats(r, y, wanted, 0, 4e-5);
    expect_floats(r, l, sums, 2e-6, 2e-5);
    budget(r, "sectors read", "gld_sec", 640, 640);
    budget(r, "sectors written", "gst_sec", 320, 320);
}

static void run_windowed(struct Run *r)
{
    int T = case_size(r);
    size_t n = 8 * (size_t)T;
    float scale = case_random(r, 0, 2) ? 40 : 0.35f;
    struct Array *q = input_floats(r, "q", n, 0, 1);
    struct Array *k = input_floats(r, "k", n, case_random(r, -1, 1), 0.5f);
    for (size_t i = 0; i < n; i++)
        k->f[i] -= 0.6f;                    /* dot products are negative */
    refill(r, k);
    struct Array *v = input_floats(r, "v", n, -1, 1);
    struct Array *y = output_floats(r, "y", n);
    float *wanted = wanted_floats(r, n);
    for (int t = 0; t < T; t++) {
        double dot[8] = { 0 }, most = -INFINITY, sum = 0;
        for (int j = 0; j < 8 && t - j >= 0; j++) {
            for (int c = 0; c < 8; c++)
                dot[j] += (double)scale * (double)q->f[8 * t + c] *
                          (double)k->f[8 * (t - j) + c];
            most = fmax(most, dot[j]);
        }
        for (int j = 0; j < 8 && t - j >= 0; j++)
            sum += exp(dot[j] - most);
        for (int c = 0; c < 8; c++) {
            double mean = 0;
            for (int j = 0; j < 8 && t - j >= 0; j++)
                mean += exp(dot[j] - most) / sum *
                        (double)v->f[8 * (t - j) + c];
            wanted[8 * t + c] = (float)mean;
        }
    }
    LAUNCH(r, "windowed", blocks_for((size_t)T, 64), ARRAY(y), ARRAY(q),
           ARRAY(k), ARRAY(v), FLOAT(scale), INT(T));
    expect_floats(r, y, wanted, 0, 1e-4);
    budget(r, "FLOP", "flop", 60000, 59760);
    budget(r, "sectors of local memory", "lld_sec+lst_sec", 0, 0);
}

extern const struct Exercise attention_exercises[];
const struct Exercise attention_exercises[] = {
    /* exercises of attention */
    { .name = "attention/online", .title = "softmax in one walk",
      .difficulty = 2, .run = run_log_sum,
      .size = { 1, 2, 63, 65, 128 },
      .largest = 100,
      .hint = { "Keep a running maximum and a running sum.  What must "
                "happen to the sum when the maximum grows?",
                "sum * exp(old - new) + exp(x - new), with new = max(old, "
                "x).",
                "The first maximum is -INFINITY, and exp(-INFINITY) is 0." } },
    { .name = "attention/causal", .title = "slow: scores above the diagonal",
      .difficulty = 2, .run = run_scores,
      .size = { 1, 15, 17, 33, 100, 128 },
      .largest = 100,
      .hint = { "In which tiles is every key later than every query?",
                "A whole block can decide: if blockIdx.x > blockIdx.y, it "
                "only writes.",
                "Tiles on the diagonal need both; there the comparison "
                "stays." } },
    { .name = "attention/merge", .title = "two halves of a context",
      .difficulty = 2, .run = run_merge_parts,
      .size = { 1, 3, 5, 33, 64 },
      .largest = 60,
      .hint = { "The weights of the two means are the sums of "
                "exponentials: exp(la) and exp(lb).  Those overflow; "
                "their ratio does not.",
                "Subtract the larger of la and lb from both.",
                "-INFINITY minus -INFINITY is NaN.  When does that "
                "happen?" } },
    { .name = "attention/window", .title = "broken: a window of keys",
      .difficulty = 3, .run = run_windowed,
      .size = { 1, 2, 9, 63, 65, 128 },
      .largest = 100,
      .hint = { "How many keys are there from t - 8 to t?",
                "With what does a running maximum begin?  All scores may "
                "be far below 0.",
                "When the maximum grows, what was summed is too large: "
                "the sum, and what else?" } },
    { .name = NULL },
};
