/* Tangled from chapters/course/profiling-solutions.nw, "Solutions: profiling".  Edit it there. */

#include "course/course.h"

/* graders of profiling */
static void run_rotate(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_floats(r, "x", 4 * n, -1, 1);
    struct Array *by = input_ints(r, "by", n, 0, 4);
    struct Array *y = output_floats(r, "y", 4 * n);
    float *wanted = wanted_floats(r, 4 * n);
    for (size_t g = 0; g < n; g++)
        for (size_t j = 0; j < 4; j++)
            wanted[4 * g + (j + (size_t)by->i[g]) % 4] = x->f[4 * g + j];
    LAUNCH(r, "rotate", blocks_for(n, 256), ARRAY(y), ARRAY(x), ARRAY(by),
           INT((int)n));
    expect_floats(r, y, wanted, 0, 0);
    budget(r, "local memory: sectors", "lld_sec+lst_sec", 0, 0);
    budget(r, "sectors read", "gld_sec", 1280, 1280);
    budget(r, "sectors written", "gst_sec", 1024, 1024);
    budget(r, "requests", "gld_req+gst_req", 192, 192);
    budget(r, "branches that split a warp", "branch_div", 0, 0);
}

extern const struct Exercise profiling_exercises[];
const struct Exercise profiling_exercises[] = {
    /* exercises of profiling */
    { .name = "profiling/rotate", .title = "slow: why?",
      .difficulty = 3, .run = run_rotate,
      .size = { 1, 31, 33, 255, 257, 2048 }, .largest = 1500,
      .hint = { "Registers have no addresses.  An array whose index is known "
                "only when the kernel runs is in local memory.",
                "One load of a float4 brings a group.  Then there are four "
                "variables instead of an array.",
                "A rotation by 3 is one by 1 and one by 2.  Each of the two "
                "either happens or not: a choice between two values, v = "
                "condition ? a : b, needs no branch." } },
    { .name = NULL },
};
