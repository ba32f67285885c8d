/* Tangled from chapters/course/counting-solutions.nw, "Solutions: counting requests, sectors and wavefronts".  Edit it there. */

#include "course/course.h"

/* graders of counting */
static void run_fields(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *p = input_floats(r, "p", 4 * n, -1, 1);
    struct Array *y = output_floats(r, "y", n);
    float *wanted = wanted_floats(r, n);
    for (size_t i = 0; i < n; i++)
        wanted[i] = p->f[4 * i] + p->f[4 * i + 1] + p->f[4 * i + 2] +
                    p->f[4 * i + 3];
    LAUNCH(r, "add_fields", blocks_for(n, 256), ARRAY(y), ARRAY(p),
           INT((int)n));
    expect_floats(r, y, wanted, 0, 1e-6);
    budget(r, "sectors read", "gld_sec", 1024, 1024);
    budget(r, "requests to read", "gld_req", 64, 64);
}

extern const struct Exercise counting_exercises[];
const struct Exercise counting_exercises[] = {
    /* exercises of counting */
    { .name = "counting/fields", .title = "what four loads of a struct cost",
      .difficulty = 2, .run = run_fields, .size = { 1, 33, 255, 1000, 2048 },
      .largest = 3000,
      .hint = { "In one request 32 lanes read four bytes each, 16 bytes apart. "
                "How many sectors do they touch, and how much of each?",
                "A lane can load 16 bytes with one instruction: float4.",
                "*(const float4 *)(p + i) is such a load; p[i] is aligned to "
                "16 bytes." } },
    { .name = NULL },
};
