/* Tangled from chapters/course/memory-hierarchy-solutions.nw, "Solutions: the memory hierarchy".  Edit it there. */

#include "course/course.h"

/* graders of memory-hierarchy */
static void run_transpose(struct Run *r)
{
    int rows = case_size(r);
    int columns = case_counted(r) ? 192 : case_random(r, 1, 100);
    if (case_timed(r))
        columns = 4096;
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

static void run_look_up(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_array(r, "x", ARRAY_BYTE, n);
    struct Array *table = input_floats(r, "table", 256, -1, 1);
    struct Array *y = output_floats(r, "y", n);
    float *wanted = wanted_floats(r, n);
    for (size_t i = 0; i < n; i++) {
        x->b[i] = (uint8_t)case_random(r, 0, 256);
        wanted[i] = table->f[x->b[i]];
    }
    refill(r, x);
    LAUNCH(r, "look_up", blocks_for((n + 7) / 8, 256), ARRAY(y), ARRAY(x),
           ARRAY(table), INT((int)n));
    expect_floats(r, y, wanted, 0, 0);
    budget(r, "sectors read", "gld_sec", 192, 192);
    budget(r, "sectors written", "gst_sec", 512, 512);
    budget(r, "barriers (warps arriving)", "barriers", 16, 16);
}

static void run_median(struct Run *r)
{
    int n = case_size(r);
    struct Array *x = input_floats(r, "x", (size_t)n, -1, 1);
    struct Array *y = output_floats(r, "y", (size_t)n);
    float *wanted = wanted_floats(r, (size_t)n);
    for (int i = 0; i < n; i++)             /* two are smaller or equal  */
        for (int k = i - 2; k <= i + 2; k++) {
            float v = k >= 0 && k < n ? x->f[k] : 0;
            int before = 0, same = 0;
            for (int j = i - 2; j <= i + 2; j++) {
                float w = j >= 0 && j < n ? x->f[j] : 0;
                before += w < v;
                same += w <= v;
            }
            if (before <= 2 && same > 2)
                wanted[i] = v;
        }
    LAUNCH(r, "median", blocks_for((size_t)n, 128), ARRAY(y), ARRAY(x),
           INT(n));
    expect_floats(r, y, wanted, 0, 0);
    budget(r, "sectors of local memory", "lld_sec+lst_sec", 0, 0);
    budget(r, "divergent branches", "branch_div", 8, 4);
    budget(r, "sectors read", "gld_sec", 800, 764);
    budget(r, "sectors written", "gst_sec", 128, 128);
}

static void run_border(struct Run *r)
{
    int rows = case_size(r), columns = case_random(r, 1, 50);
    if (case_counted(r) || case_timed(r))
        columns = case_counted(r) ? 48 : 4096;
    size_t n = (size_t)rows * (size_t)columns;
    struct Array *x = input_ints(r, "x", n, -1000, 1000);
    struct Array *y = output_ints(r, "y", n);
    int *wanted = wanted_ints(r, n);
    for (int i = 0; i < rows * columns; i++) {
        wanted[i] = 0;
        for (int dr = -1; dr <= 1; dr++)
            for (int dc = -1; dc <= 1; dc++) {
                int row = i / columns + dr, c = i % columns + dc;
                if (row >= 0 && row < rows && c >= 0 && c < columns)
                    wanted[i] += x->i[row * columns + c];
            }
    }
    struct Shape shape = {
        .grid = { (unsigned)(columns + 15) / 16, (unsigned)(rows + 15) / 16,
                  1 },
        .block = { 16, 16, 1 } };
    LAUNCH(r, "neighbours", shape, ARRAY(y), ARRAY(x), INT(rows),
           INT(columns));
    expect_ints(r, y, wanted);
    budget(r, "requests to read", "gld_req", 110, 96);
    budget(r, "sectors read", "gld_sec", 700, 598);
    budget(r, "barriers (warps arriving)", "barriers", 72, 72);
}

extern const struct Exercise memory_hierarchy_exercises[];
const struct Exercise memory_hierarchy_exercises[] = {
    /* exercises of memory-hierarchy */
    { .name = "memory-hierarchy/transpose",
      .title = "a transpose without waste",
      .difficulty = 3, .run = run_transpose,
      .size = { 1, 31, 32, 33, 70, 128 }, .largest = 100,
      .large = 4096,
      .hint = { "Either the loads or the stores are along a row, never both. "
                "Something has to turn the tile in between.",
                "Load the tile into shared memory along its rows, wait for all "
                "threads, and store it along its columns.",
                "32 lanes that read a column of a 32 x 32 tile are all in one "
                "bank.  A 33rd column moves each row by one bank." } },
    { .name = "memory-hierarchy/table", .title = "a table in shared memory",
      .difficulty = 1, .run = run_look_up,
      .size = { 1, 255, 257, 2047, 2049, 4096 }, .largest = 5000,
      .large = 1 << 24,
      .hint = { "The table has as many elements as a block has threads.",
                "Each thread copies one element into shared memory.  A "
                "barrier belongs before the first look-up." } },
    { .name = "memory-hierarchy/median", .title = "slow: the middle of five",
      .difficulty = 3, .run = run_median,
      .size = { 1, 2, 5, 127, 129, 1001, 1024 }, .largest = 1000,
      .large = 1 << 23,
      .hint = { "An array whose index is known only when the kernel runs "
                "cannot be in registers, which have no numbers at run time.",
                "Exchange two fixed places: the smaller number into one, "
                "the larger into the other, with fminf and fmaxf.  In which "
                "order?",
                "Ten exchanges of neighbours sort five numbers.  Seven are "
                "enough for the middle one." } },
    { .name = "memory-hierarchy/border",
      .title = "broken: a tile with its border",
      .difficulty = 2, .run = run_border, .size = { 1, 2, 15, 17, 33, 48 },
      .largest = 40,
      .large = 4096,
      .hint = { "What the sanitizer reports comes first.  How many numbers "
                "does the tile have?",
                "A matrix has four sides.  What is x[r * columns + c] for c "
                "= -1, if r is at least 1?",
                "A thread reads numbers that other threads have loaded." } },
    { .name = NULL },
};
