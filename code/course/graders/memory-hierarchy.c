/* Tangled from chapters/course/memory-hierarchy-solutions.nw, "Solutions: the memory hierarchy".  Edit it there. */

#include "course/course.h"

/* graders of memory-hierarchy */
static void run_transpose(struct Run *r)
{
    int rows = case_size(r);
    int columns = case_counted(r) ? 192 : case_random(r, 1, 100);
    size_t n = (size_t)rows * (size_t)columns;
    struct Array *x = input_floats(r, "x", n, -1, 1);
    struct Array *y = output_floats(r, "y", n);
    float *wanted = wanted_floats(r, n);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++)
            wanted[k * rows + i] = x->f[i * columns + k];
    struct Shape tiles = { { (uint32_t)(columns + 31) / 32,
                             (uint32_t)(rows + 31) / 32, 1 },
                           { 32, 8, 1 }, 0 };
    LAUNCH(r, "transpose", tiles, ARRAY(y), ARRAY(x), INT(rows),
           INT(columns));
    expect_floats(r, y, wanted, 0, 0);
    budget(r, "sectors read", "gld_sec", 3072, 3072);
    budget(r, "sectors written", "gst_sec", 3072, 3072);
    budget(r, "bank conflicts", "sld_conf+sst_conf", 0, 0);
    budget(r, "barriers (warps arriving)", "barriers", 400, 192);
}

extern const struct Exercise memory_hierarchy_exercises[];
const struct Exercise memory_hierarchy_exercises[] = {
    /* exercises of memory-hierarchy */
    { .name = "memory-hierarchy/transpose",
      .title = "a transpose without waste",
      .difficulty = 3, .run = run_transpose,
      .size = { 1, 31, 32, 33, 70, 128 }, .largest = 100,
      .hint = { "Either the loads or the stores are along a row, never both. "
                "Something has to turn the tile in between.",
                "Load the tile into shared memory along its rows, wait for all "
                "threads, and store it along its columns.",
                "32 lanes that read a column of a 32 x 32 tile are all in one "
                "bank.  A 33rd column moves each row by one bank." } },
    { .name = NULL },
};
