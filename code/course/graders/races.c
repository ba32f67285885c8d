/* Tangled from chapters/course/races-solutions.nw, "Solutions: races".  Edit it there. */

#include "course/course.h"

/* graders of races */
static void run_reverse(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = in_place(input_floats(r, "x", n, -1, 1));
    float *wanted = wanted_floats(r, n);
    for (size_t i = 0; i < n; i++) {
        size_t first = i / 256 * 256;
        size_t count = n - first < 256 ? n - first : 256;
        wanted[i] = x->f[first + count - 1 - (i - first)];
    }
    LAUNCH(r, "reverse", blocks_for(n, 256), ARRAY(x), INT((int)n));
    expect_floats(r, x, wanted, 0, 0);
    budget(r, "barriers (warps arriving)", "barriers", 64, 64);
    budget(r, "sectors of global memory", "gld_sec+gst_sec", 512, 512);
}

extern const struct Exercise races_exercises[];
const struct Exercise races_exercises[] = {
    /* exercises of races */
    { .name = "races/reverse", .title = "broken: a block turned around",
      .difficulty = 1, .run = run_reverse,
      .size = { 1, 32, 33, 255, 256, 257, 1000, 2048 }, .largest = 2000,
      .hint = { "A thread reads what another thread has stored.  What makes "
                "it wait until that has happened?",
                "__syncthreads() must be reached by all threads of the block: "
                "those that have returned are missing." } },
    { .name = NULL },
};
