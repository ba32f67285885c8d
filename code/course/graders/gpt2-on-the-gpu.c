/* Tangled from chapters/course/gpt2-on-the-gpu-solutions.nw, "Solutions: GPT-2 on the GPU".  Edit it there. */

#include "course/course.h"

#include <math.h>
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
    { .name = NULL },
};
