/* Tangled from chapters/course/cpu-matmul-solutions.nw, "Solutions: a matmul for the processor".  Edit it there. */

#include "course/course.h"

/* graders of cpu matmul */
/* c + a b in double, of a in rows x depth, b in depth x columns */
static float *wanted_product(struct Run *r, const struct Array *c,
                             const struct Array *a, const struct Array *b,
                             int rows, int columns, int depth)
{
    float *wanted = wanted_floats(r, (size_t)rows * (size_t)columns);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            double sum = (double)c->f[i * columns + j];
            for (int k = 0; k < depth; k++)
                sum += (double)a->f[i * depth + k] *
                       (double)b->f[k * columns + j];
            wanted[i * columns + j] = (float)sum;
        }
    return wanted;
}

static const struct Shape single_thread = { .grid = { 1, 1, 1 },
                                            .block = { 1, 1, 1 } };

static void run_order(struct Run *r)
{
    int rows = case_size(r), columns = case_random(r, 1, 40);
    int depth = case_random(r, 1, 40);
    if (case_counted(r)) {
        columns = 256;
        depth = 64;
    }
    size_t in_a = (size_t)(rows * depth), in_b = (size_t)(depth * columns);
    struct Array *a = input_floats(r, "a", in_a, -1, 1);
    struct Array *b = input_floats(r, "b", in_b, -1, 1);
    struct Array *c = input_floats(r, "c", (size_t)(rows * columns), -1, 1);
    float *wanted = wanted_product(r, c, a, b, rows, columns, depth);
    LAUNCH(r, "multiply", single_thread, ARRAY(in_place(c)), ARRAY(a),
           ARRAY(b), INT(rows), INT(columns), INT(depth));
    expect_floats(r, c, wanted, 0, 5e-5);
    budget_lines(r, 17500, 16704);
}

static void run_blocks(struct Run *r)
{
    int rows = case_size(r), columns = case_random(r, 1, 40);
    int depth = case_random(r, 1, 40);
    if (case_counted(r)) {
        columns = 256;
        depth = 64;
    }
    size_t in_a = (size_t)(rows * depth), in_b = (size_t)(depth * columns);
    struct Array *a = input_floats(r, "a", in_a, -1, 1);
    struct Array *b = input_floats(r, "b", in_b, -1, 1);
    struct Array *c = input_floats(r, "c", (size_t)(rows * columns), -1, 1);
    float *wanted = wanted_product(r, c, a, b, rows, columns, depth);
    LAUNCH(r, "multiply", single_thread, ARRAY(in_place(c)), ARRAY(a),
           ARRAY(b), INT(rows), INT(columns), INT(depth));
    expect_floats(r, c, wanted, 0, 5e-5);
    budget_lines(r, 1500, 1344);
}

static void run_pack(struct Run *r)
{
    int depth = case_size(r), columns = case_random(r, 1, 60);
    if (case_counted(r))
        columns = 128;
    int panels = (columns + 7) / 8;
    size_t n = (size_t)(depth * columns);
    struct Array *b = input_floats(r, "b", n, 1, 2);
    struct Array *p = output_floats(r, "p", (size_t)(panels * 8 * depth));
    float *wanted = wanted_floats(r, (size_t)(panels * 8 * depth));
    for (int k = 0; k < depth; k++)
        for (int j = 0; j < columns; j++)
            wanted[j / 8 * 8 * depth + 8 * k + j % 8] =
                b->f[k * columns + j];
    LAUNCH(r, "pack", single_thread, ARRAY(p), ARRAY(b), INT(depth),
           INT(columns));
    expect_floats(r, p, wanted, 0, 0);
    budget_lines(r, 2100, 2048);
}

static void run_tile_of_four(struct Run *r)
{
    int rows = case_size(r), columns = case_random(r, 1, 20);
    int depth = case_random(r, 1, 20);
    if (case_counted(r)) {
        columns = 32;
        depth = 48;
    }
    struct Array *a = input_floats(r, "a", (size_t)(rows * depth), -1, 1);
    struct Array *b = input_floats(r, "b", (size_t)(depth * columns), -1,
                                   1);
    struct Array *c = input_floats(r, "c", (size_t)(rows * columns), -1, 1);
    float *wanted = wanted_product(r, c, a, b, rows, columns, depth);
    LAUNCH(r, "multiply", single_thread, ARRAY(in_place(c)), ARRAY(a),
           ARRAY(b), INT(rows), INT(columns), INT(depth));
    expect_floats(r, c, wanted, 0, 5e-5);
    budget(r, "requests to read", "gld_req", 26624, 25600);
    budget(r, "requests to local memory", "lld_req+lst_req", 0, 0);
}

extern const struct Exercise cpu_matmul_exercises[];
const struct Exercise cpu_matmul_exercises[] = {
    /* exercises of cpu matmul */
    { .name = "cpu-matmul/order", .title = "slow: three loops in another order",
      .difficulty = 1, .run = run_order,
      .size = { 1, 2, 7, 33, 16 }, .largest = 30,
      .hint = { "With k in the inner loop, b goes from row to row: a new "
                "line for each number.",
                "Which index moves along the rows of b and c, and leaves "
                "the number of a where it is?" } },
    { .name = "cpu-matmul/blocks", .title = "blocks that stay in the cache",
      .difficulty = 3, .run = run_blocks, .size = { 1, 2, 31, 33, 16 },
      .largest = 40,
      .hint = { "Some rows of b are a part: 4 rows of 256 floats are 4 "
                "KB.",
                "A loop around the others takes k in steps of 4.  How "
                "often is c fetched then?",
                "The last part may have fewer rows." } },
    { .name = "cpu-matmul/pack", .title = "a packed panel",
      .difficulty = 3, .run = run_pack,
      .size = { 1, 2, 7, 33, 128 }, .largest = 40,
      .hint = { "A line of b has 16 numbers: two panels of it.",
                "Panel by panel, each row of b gives eight numbers that "
                "are neighbours in b and in p.",
                "Two panels at once use a whole line of b while it is "
                "there." } },
    { .name = "cpu-matmul/tile", .title = "broken: a tile of four by four",
      .difficulty = 3, .run = run_tile_of_four,
      .size = { 1, 3, 4, 5, 17, 32 },
      .largest = 20,
      .hint = { "What is in the sums when the second tile begins?",
                "Rows and columns that do not exist must neither be read "
                "nor written.  A second kernel body, or an index that is "
                "cut off?",
                "Reading row min(i + y, rows - 1) does no harm, if the "
                "sums of rows that do not exist are not stored." } },
    { .name = NULL },
};
