/* Tangled from chapters/course/sparsity-solutions.nw, "Solutions: sparsity".  Edit it there. */

#include "course/course.h"

#include <math.h>

/* graders of sparsity */
/* A matrix in which about one number of `of` is not zero. */
static struct Array *sparse_floats(struct Run *r, const char *name,
                                   size_t n, int of)
{
    struct Array *x = input_floats(r, name, n, 1, 2);
    for (size_t i = 0; i < n; i++)
        if (case_random(r, 0, of))
            x->f[i] = case_random(r, 0, 2) ? 0.0f : -0.0f;
    refill(r, x);
    return x;
}

static void run_lengths(struct Run *r)
{
    int rows = case_size(r), columns = case_random(r, 1, 200);
    if (case_counted(r))
        columns = 128;
    size_t n = (size_t)rows * (size_t)columns;
    struct Array *x = sparse_floats(r, "x", n, 4);
    struct Array *length = output_ints(r, "length", (size_t)rows);
    int *wanted = wanted_ints(r, (size_t)rows);
    for (int i = 0; i < rows * columns; i++)
        wanted[i / columns] += x->f[i] != 0.0f;
    LAUNCH(r, "lengths", blocks_for((size_t)rows * 32, 128), ARRAY(length),
           ARRAY(x), INT(rows), INT(columns));
    expect_ints(r, length, wanted);
    budget(r, "requests to read", "gld_req", 256, 256);
    budget(r, "sectors read", "gld_sec", 1024, 1024);
    budget(r, "atomic requests", "gatom_req+gred_req+satom_req", 0, 0);
}

static void run_rows_product(struct Run *r)
{
    int rows = case_size(r), columns = case_random(r, 1, 400);
    if (case_counted(r))
        columns = 256;
    struct Array *begin = input_ints(r, "begin", (size_t)rows + 1, 0, 1);
    for (int i = 0; i < rows; i++) {
        int most = i % 7 ? columns / 4 : columns;
        int n = case_counted(r) ? most : case_random(r, 0, most + 1);
        begin->i[i + 1] = begin->i[i] + n;
    }
    refill(r, begin);
    size_t n = (size_t)begin->i[rows] + 1;  /* one behind, never used    */
    struct Array *a = input_floats(r, "a", n, -1, 1);
    struct Array *column = input_ints(r, "column", n, 0, columns);
    struct Array *v = input_floats(r, "v", (size_t)columns, -1, 1);
    for (int i = 0; i < rows; i++)          /* ascending in a row        */
        for (int k = begin->i[i]; k < begin->i[i + 1]; k++) {
            int length = begin->i[i + 1] - begin->i[i];
            column->i[k] = (k - begin->i[i]) * columns / length;
        }
    refill(r, column);
    struct Array *y = output_floats(r, "y", (size_t)rows);
    float *wanted = wanted_floats(r, (size_t)rows);
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int k = begin->i[i]; k < begin->i[i + 1]; k++)
            sum += (double)a->f[k] * (double)v->f[column->i[k]];
        wanted[i] = (float)sum;
    }
    LAUNCH(r, "rows_product", blocks_for((size_t)rows * 32, 128), ARRAY(y),
           ARRAY(a), ARRAY(column), ARRAY(begin), ARRAY(v), INT(rows));
    expect_floats(r, y, wanted, 0, 4e-5);
    budget(r, "requests to read", "gld_req", 800, 692);
    budget(r, "sectors read", "gld_sec", 4000, 3680);
    budget(r, "atomic requests", "gatom_req+gred_req", 0, 0);
}

static void run_two_of_four(struct Run *r)
{
    size_t groups = (size_t)case_size(r), n = 4 * groups;
    struct Array *x = input_floats(r, "x", n, -1, 1);
    for (size_t i = 0; i < n; i++)          /* many of equal magnitude   */
        if (case_random(r, 0, 2))
            x->f[i] = (float)case_random(r, -2, 3);
    refill(r, x);
    struct Array *kept = output_floats(r, "kept", 2 * groups);
    struct Array *place = output_array(r, "place", ARRAY_BYTE, groups);
    float *wanted = wanted_floats(r, 2 * groups);
    uint8_t *where = (uint8_t *)wanted_ints(r, (groups + 3) / 4);
    for (size_t g = 0; g < groups; g++) {
        const float *v = x->f + 4 * g;
        int n_kept = 0;
        where[g] = 0;
        for (int i = 0; i < 4; i++) {
            int larger = 0;
            for (int k = 0; k < 4; k++)
                larger += fabsf(v[k]) > fabsf(v[i]) ||
                          (k < i && fabsf(v[k]) >= fabsf(v[i]));
            if (larger >= 2)
                continue;
            wanted[2 * g + (size_t)n_kept] = v[i];
            where[g] = (uint8_t)(where[g] + (n_kept ? 4 * i : i));
            n_kept++;
        }
    }
    LAUNCH(r, "two_of_four", blocks_for(groups, 128), ARRAY(kept),
           ARRAY(place), ARRAY(x), INT((int)n));
    expect_floats(r, kept, wanted, 0, 0);
    expect_bits(r, place, where);
    budget(r, "requests to read", "gld_req", 16, 16);
    budget(r, "sectors written", "gst_sec", 144, 144);
    budget(r, "divergent branches", "branch_div", 32, 0);
    budget(r, "sectors of local memory", "lld_sec+lst_sec", 0, 0);
}

static void run_padded(struct Run *r)
{
    int rows = case_size(r), width = case_random(r, 1, 12), columns = 50;
    if (case_counted(r))
        width = 10;
    size_t n = (size_t)(rows * width);
    struct Array *a = input_floats(r, "a", n, -1, 1);
    struct Array *column = input_ints(r, "column", n, 0, columns);
    struct Array *v = input_floats(r, "v", (size_t)columns, -1, 1);
    struct Array *y = output_floats(r, "y", (size_t)rows);
    float *wanted = wanted_floats(r, (size_t)rows);
    for (int i = 0; i < rows; i++) {
        int length = case_counted(r) ? 10 : case_random(r, 0, width + 1);
        double sum = 0;
        for (int k = 0; k < width; k++) {
            size_t at = (size_t)(k * rows + i);
            if (k < length) {
                sum += (double)a->f[at] * (double)v->f[column->i[at]];
                continue;
            }
            a->f[at] = k % 2 ? NAN : 1e30f;
            column->i[at] = -1;
        }
        wanted[i] = (float)sum;
    }
    refill(r, a);
    refill(r, column);
    LAUNCH(r, "padded", blocks_for((size_t)rows, 128), ARRAY(y), ARRAY(a),
           ARRAY(column), ARRAY(v), INT(rows), INT(width));
    expect_floats(r, y, wanted, 0, 4e-6);
    budget(r, "sectors of a, column and v", "gld_sec", 1250, 1179);
    budget(r, "sectors written", "gst_sec", 32, 32);
}

extern const struct Exercise sparsity_exercises[];
const struct Exercise sparsity_exercises[] = {
    /* exercises of sparsity */
    { .name = "sparsity/lengths", .title = "how long are the rows?",
      .difficulty = 1, .run = run_lengths,
      .size = { 1, 3, 5, 33, 64 }, .largest = 60,
      .hint = { "Neighbouring lanes take neighbouring columns.",
                "__ballot_sync gives a bit for each lane, and __popc "
                "counts the bits that are set.",
                "All lanes must come to the ballot, also in the last "
                "round." } },
    { .name = "sparsity/rows", .title = "slow: rows of many lengths",
      .difficulty = 2, .run = run_rows_product,
      .size = { 1, 2, 5, 33, 64 }, .largest = 60,
      .hint = { "The lanes of a warp can share a row: neighbouring lanes "
                "take neighbouring k, and then a[k] and column[k] are "
                "coalesced.",
                "Each lane has a part of the sum.  Five shuffles add "
                "them, when all lanes are back from their loops." } },
    { .name = "sparsity/two-of-four", .title = "two of four",
      .difficulty = 3, .run = run_two_of_four,
      .size = { 1, 2, 127, 129, 333, 512 },
      .largest = 500,
      .hint = { "A number is kept if fewer than two others go before it: "
                "those of larger magnitude, and those of equal magnitude "
                "that come earlier.",
                "Six comparisons decide all: for each pair, which one "
                "goes before the other?",
                "An array of four is in registers only if its indices are "
                "known. Choose values by conditions, not by an index." } },
    { .name = "sparsity/padding", .title = "broken: rows that are padded",
      .difficulty = 2, .run = run_padded,
      .size = { 1, 3, 127, 129, 200, 256 },
      .largest = 250,
      .hint = { "Where does place k of row r lie?  Where do the "
                "neighbours of a thread read?",
                "0 times NaN is NaN, so a padded place must not be added "
                "at all. Once a row has a -1, only more of them follow." } },
    { .name = NULL },
};
