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

extern const struct Exercise gpt2_on_the_gpu_exercises[];
const struct Exercise gpt2_on_the_gpu_exercises[] = {
    /* exercises of gpt2 on the gpu */
    { .name = "gpt2-on-the-gpu/master", .title = "master weights",
      .difficulty = 1, .run = run_master,
      .size = { 1, 2, 255, 257, 1024 },
      .largest = 700,
      .hint = { "Which of the two arrays can hold a change of 0.00001 to "
                "a weight of 0.1?",
                "Compute the new weight in a float. It is stored twice: "
                "as it is in w, rounded in copy.",
                "Nothing has to be read from copy." } },
    { .name = "gpt2-on-the-gpu/micro",
      .title = "broken: a sum over micro-batches",
      .difficulty = 2, .run = run_micro, .size = { 1, 2, 63, 65, 128 },
      .largest = 150,
      .hint = { "What is 0 times a NaN?",
                "A total of 256 has neighbours in bf16 at a distance of "
                "2. What becomes of it when 0.9 is added?",
                "Keep the sum in a float, and do not read db for the "
                "first micro-batch." } },
    { .name = NULL },
};
