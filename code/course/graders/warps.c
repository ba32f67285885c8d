/* Tangled from chapters/course/warps-solutions.nw, "Solutions: warps".  Edit it there. */

#include "course/course.h"

/* graders of warps */
static void run_warp_sums(struct Run *r)
{
    size_t n = (size_t)case_size(r), warps = (n + 31) / 32;
    struct Array *x = input_floats(r, "x", n, -1, 1);
    struct Array *y = output_floats(r, "y", warps);
    float *wanted = wanted_floats(r, warps);
    for (size_t w = 0; w < warps; w++) {
        double sum = 0;
        for (size_t i = 32 * w; i < n && i < 32 * w + 32; i++)
            sum += (double)x->f[i];
        wanted[w] = (float)sum;
    }
    LAUNCH(r, "warp_sums", blocks_for(n, 128), ARRAY(y), ARRAY(x),
           INT((int)n));
    expect_floats(r, y, wanted, 0, 1e-5);
    budget(r, "sectors read", "gld_sec", 512, 512);
    budget(r, "warp instructions", "inst", 128 * 45, 128 * 37);
    budget(r, "shared memory requests", "sld_req+sst_req", 0, 0);
}

extern const struct Exercise warps_exercises[];
const struct Exercise warps_exercises[] = {
    /* exercises of warps */
    { .name = "warps/sum", .title = "the sum of a warp in five steps",
      .difficulty = 2, .run = run_warp_sums,
      .size = { 1, 31, 32, 33, 100, 4096 }, .largest = 1000,
      .hint = { "__shfl_down_sync(0xffffffff, value, d) gives a lane the value "
                "of the lane d places above.",
                "After steps with d = 16, 8, 4, 2, 1 lane 0 has the sum.",
                "All 32 lanes must take part, those beyond n as well: give "
                "them a 0, and return nowhere before the shuffles." } },
    { .name = NULL },
};
