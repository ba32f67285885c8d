/* Tangled from chapters/course/fused-operators-solutions.nw, "Solutions: fused operators".  Edit it there. */

#include <math.h>

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
    { .name = NULL },
};
