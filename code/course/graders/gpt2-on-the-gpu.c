/* Tangled from chapters/course/gpt2-on-the-gpu-solutions.nw, "Solutions: GPT-2 on the GPU".  Edit it there. */

#include "course/course.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* the nearest bf16; of two equally near, the one whose last bit is 0 */
static uint16_t nearest(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

/* graders of gpt2 on the gpu */
static void run_master(struct Run *r)
{
    enum { STEPS = 8 };
    const float rate = 1e-5f;
    size_t n = (size_t)case_size(r);
    struct Array *w = in_place(input_floats(r, "w", n, 0.02f, 0.12f));
    struct Array *copy = in_place(input_array(r, "copy", ARRAY_BF16, n));
    struct Array *g = input_floats(r, "g", n, -1, 1);
    float *wanted = wanted_floats(r, n);
    for (size_t i = 0; i < n; i++) {
        copy->h[i] = nearest(w->f[i]);
        wanted[i] = (float)(w->f[i] - STEPS * (double)rate * g->f[i]);
    }
    refill(r, copy);
    for (int i = 0; i < STEPS; i++)
        LAUNCH(r, "step", blocks_for(n, 256), ARRAY(w), ARRAY(copy),
               ARRAY(g), FLOAT(rate), INT((int)n));
    expect_floats(r, w, wanted, 0, 1e-7);
    uint16_t *rounded = (uint16_t *)wanted_ints(r, n);
    for (size_t i = 0; i < n; i++)
        rounded[i] = nearest(w->f[i]);
    expect_bits(r, copy, rounded);
    budget(r, "sectors read", "gld_sec", 2560, 2048);
    budget(r, "sectors written", "gst_sec", 1536, 1536);
}

static double of_bf16(uint16_t h)
{
    float x;
    memcpy(&x, &(uint32_t){ (uint32_t)h << 16 }, sizeof x);
    return (double)x;
}

static void run_micro(struct Run *r)
{
    enum { BATCHES = 3 };
    int N = case_size(r), C = case_counted(r) ? 64 : case_random(r, 1, 99);
    size_t n = (size_t)N * (size_t)C;
    struct Array *db = in_place(input_floats(r, "db", (size_t)C, -1, 1));
    float *wanted = wanted_floats(r, (size_t)C);
    for (int c = case_random(r, 0, 3); c < C; c += 4)
        db->f[c] = c % 8 < 4 ? NAN : INFINITY;
    refill(r, db);
    struct Array *dy[BATCHES];
    double *sum = calloc((size_t)C, sizeof *sum);
    for (int b = 0; b < BATCHES && sum; b++) {
        dy[b] = input_array(r, "dy", ARRAY_BF16, n);
        for (size_t i = 0; i < n; i++) {        /* 0.5 to 2              */
            dy[b]->h[i] = (uint16_t)case_random(r, 0x3f00, 0x3fff);
            sum[i % (size_t)C] += of_bf16(dy[b]->h[i]);
        }
        refill(r, dy[b]);
        LAUNCH(r, "bias", blocks_for((size_t)C, 64), ARRAY(db),
               ARRAY(dy[b]), INT(N), INT(C), INT(b > 0));
    }
    for (int c = 0; c < C && sum; c++)
        wanted[c] = (float)sum[c];
    free(sum);
    expect_floats(r, db, wanted, 1e-5, 0);
    budget(r, "sectors read", "gld_sec", 1560, 1552);
    budget(r, "sectors written", "gst_sec", 24, 24);
}

/* the sum in mid, and its rows normalised in y */
static void want_residual(float *mid, float *y, const float *const from[3],
                          size_t N)
{
    const float *a = from[0], *w = from[1], *x = from[2];
    for (size_t n = 0; n < N; n++) {
        double v[32], m = 0, squares = 0;
        for (size_t c = 0; c < 32; c++) {
            v[c] = (double)x[32 * n + c];
            for (size_t k = 0; k < 8; k++)
                v[c] += (double)a[8 * n + k] * (double)w[32 * k + c];
            m += v[c] / 32;
        }
        for (size_t c = 0; c < 32; c++)
            squares += (v[c] - m) * (v[c] - m) / 32;
        for (size_t c = 0; c < 32; c++) {
            mid[32 * n + c] = (float)v[c];
            y[32 * n + c] = (float)((v[c] - m) / sqrt(squares + 1e-5));
        }
    }
}

static void run_residual(struct Run *r)
{
    size_t N = (size_t)case_size(r);
    struct Array *a = input_floats(r, "a", 8 * N, -1, 1);
    struct Array *w = input_floats(r, "w", 8 * 32, -1, 1);
    struct Array *x = input_floats(r, "x", 32 * N, -1, 3);
    struct Array *mid = output_floats(r, "mid", 32 * N);
    struct Array *y = output_floats(r, "y", 32 * N);
    float *wanted_mid = wanted_floats(r, 32 * N);
    float *wanted_y = wanted_floats(r, 32 * N);
    want_residual(wanted_mid, wanted_y,
                  (const float *const[]){ a->f, w->f, x->f }, N);
    struct Shape rows = blocks_for(32 * N, 128);
    LAUNCH(r, "project", rows, ARRAY(mid), ARRAY(a), ARRAY(w), ARRAY(x),
           INT((int)N));
    LAUNCH(r, "normalise", rows, ARRAY(y), ARRAY(mid), ARRAY(x),
           INT((int)N));
    expect_floats(r, mid, wanted_mid, 1e-5, 1e-5);
    expect_floats(r, y, wanted_y, 1e-4, 1e-4);
    budget(r, "sectors read", "gld_sec", 3072, 3072);
    budget(r, "sectors written", "gst_sec", 512, 512);
}

static uint16_t nearest_gelu(float x)
{
    double gate = fmin(fmax(0.25 * (double)x + 0.5, 0), 1);
    return nearest((float)(x * gate));
}

static void run_again(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_floats(r, "x", n, -2.5f, 2.5f);
    struct Array *y = output_array(r, "y", ARRAY_BF16, n);
    struct Array *pre = output_array(r, "pre", ARRAY_BF16, n);
    struct Array *again = output_array(r, "again", ARRAY_BF16, n);
    uint16_t *kept = (uint16_t *)wanted_ints(r, n), *wanted = kept + n;
    for (size_t i = 0; i < n; i++) {
        kept[i] = nearest(x->f[i]);
        wanted[i] = nearest_gelu((float)of_bf16(kept[i]));
    }
    LAUNCH(r, "up", blocks_for(n, 256), ARRAY(y), ARRAY(pre), ARRAY(x),
           INT((int)n));
    LAUNCH(r, "again", blocks_for(n, 256), ARRAY(again), ARRAY(pre),
           INT((int)n));
    expect_bits(r, pre, kept);
    expect_bits(r, again, wanted);
    expect_bits(r, y, wanted);
    budget(r, "sectors read", "gld_sec", 192, 192);
    budget(r, "sectors written", "gst_sec", 192, 192);
}

static void run_stream(struct Run *r)
{
    int n = case_size(r), ratio = case_random(r, 0, 5);
    struct Array *host = input_ints(r, "host", (size_t)n, 0, 3000);
    struct Array *device = input_ints(r, "device", (size_t)n, 0, 6000);
    for (int i = 0; i < n; i++)         /* which side is slower changes  */
        device->i[i] = ratio < 2 ? device->i[i] / 2
                     : ratio < 4 ? device->i[i] * (i / 40 % 2)
                                 : device->i[i] * (i % 9 < 4);
    refill(r, device);
    struct Array *t = output_ints(r, "t", 2);
    int launched = 0, end = 0, idle = 0;
    for (int i = 0; i < n; i++) {
        launched += host->i[i];
        if (launched > end) {
            idle += launched - end;
            end = launched;
        }
        end += device->i[i];
    }
    struct Shape warp = { { 1, 1, 1 }, { 32, 1, 1 }, 0 };
    LAUNCH(r, "end_of_step", warp, ARRAY(t), ARRAY(host), ARRAY(device),
           INT(n));
    expect_ints(r, t, (int[]){ end, idle });
    budget(r, "requests to read", "gld_req", 80, 64);
    budget(r, "warp instructions", "inst", 1600, 388);
}

extern const struct Exercise gpt2_on_the_gpu_exercises[];
const struct Exercise gpt2_on_the_gpu_exercises[] = {
    /* exercises of gpt2 on the gpu */
    { .name = "gpt2-on-the-gpu/master", .title = "master weights",
      .difficulty = 1, .run = run_master,
      .size = { 1, 2, 255, 257, 1024 },
      .largest = 700,
      .hint = { "Which of the two arrays can hold a change of 0.00001 to "
                "a weight of 0.1?",
                "Compute the new weight in a float.  It is stored twice: "
                "as it is in w, rounded in copy.",
                "Nothing has to be read from copy." } },
    { .name = "gpt2-on-the-gpu/micro",
      .title = "broken: a sum over micro-batches",
      .difficulty = 2, .run = run_micro, .size = { 1, 2, 63, 65, 128 },
      .largest = 150,
      .hint = { "What is 0 times a NaN?",
                "A total of 300 has neighbours in bf16 at a distance of "
                "2.  What becomes of it when 0.9 is added?",
                "Keep the sum in a float, and do not read db for the "
                "first micro-batch." } },
    { .name = "gpt2-on-the-gpu/residual",
      .title = "slow: who adds the residual?",
      .difficulty = 2, .run = run_residual,
      .size = { 1, 3, 4, 5, 33, 64 },
      .largest = 50,
      .hint = { "The first kernel writes an array, the second reads two "
                "and writes two.  Which of the five is moved only so that "
                "it can be added to?",
                "The product is in a register of the first kernel.  x can "
                "be added there.",
                "Then mid is right after the first kernel, and the second "
                "one has no reason to write it." } },
    { .name = "gpt2-on-the-gpu/again", .title = "broken: the same bits again",
      .difficulty = 2, .run = run_again,
      .size = { 1, 2, 255, 257, 1024 },
      .largest = 700,
      .hint = { "`again` can only know what is in pre.  What does `up` "
                "know besides?",
                "GELU has to be applied to the same number both times: to "
                "the rounded one.",
                "The upper half of the bits of a float is not the nearest "
                "bf16." } },
    { .name = "gpt2-on-the-gpu/stream", .title = "when is the step over?",
      .difficulty = 4, .run = run_stream,
      .size = { 1, 2, 31, 32, 33, 65, 370, 1024 }, .largest = 500,
      .hint = { "A part of the stream is launched from time a on, and "
                "before it the device is busy until time b.  When does "
                "the part end, as a function of a and b?  Try parts of "
                "one and of two kernels.",
                "max(a + p, b + d).  d is the time of its kernels.  What "
                "is p?  How is it computed for one kernel, and when a "
                "kernel is appended?",
                "Two parts in a row are a part: their h and d are added, "
                "and p is max(h1 + p2, p1 + d2).  h is the time of their "
                "launches.  Join neighbouring parts by shuffles, five "
                "times.",
                "The order matters: lane l joins its part with the part "
                "that follows it, of lane l + 1, then l + 2, l + 4, and "
                "so on.  A lane without kernels has h = d = p = 0." } },
    { .name = NULL },
};
