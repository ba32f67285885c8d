/* Tangled from chapters/course/roofline-solutions.nw, "Solutions: the roofline".  Edit it there. */

#include "course/course.h"

/* graders of roofline */
static void run_window(struct Run *r)
{
    int n = case_size(r);
    struct Array *x = input_floats(r, "x", (size_t)n, -1, 1);
    struct Array *y = output_floats(r, "y", (size_t)n);
    float *wanted = wanted_floats(r, (size_t)n);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = i - 4; k <= i + 4; k++)
            if (k >= 0 && k < n)
                sum += (double)x->f[k];
        wanted[i] = (float)sum;
    }
    LAUNCH(r, "window", blocks_for((size_t)n, 256), ARRAY(y), ARRAY(x),
           INT(n));
    expect_floats(r, y, wanted, 0, 4e-6);
    budget(r, "sectors read", "gld_sec", 1400, 1086);
    budget(r, "sectors written", "gst_sec", 1024, 1024);
    budget(r, "bank conflicts", "sld_conf+sst_conf", 0, 0);
    budget(r, "barriers (warps arriving)", "barriers", 512, 256);
}

extern const struct Exercise roofline_exercises[];
const struct Exercise roofline_exercises[] = {
    /* exercises of roofline */
    { .name = "roofline/window", .title = "nine reads of each number",
      .difficulty = 2, .run = run_window,
      .size = { 1, 4, 5, 255, 256, 257, 1001, 8192 }, .largest = 2000,
      .hint = { "A block needs 256 + 8 numbers.  Put them into shared memory.",
                "Each thread loads the number of its own place.  Eight threads "
                "load one more: four before the first, four behind the last.",
                "Beyond the ends of the array the numbers in shared memory are "
                "0.  A barrier belongs before the sums." } },
    { .name = NULL },
};
