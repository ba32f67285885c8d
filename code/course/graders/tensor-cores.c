/* Tangled from chapters/course/tensor-cores-solutions.nw, "Solutions: tensor cores".  Edit it there. */

#include "course/course.h"

#include <math.h>
#include <string.h>

/* graders of tensor cores */
static void run_holder(struct Run *r)
{
    int columns = case_size(r);
    size_t n = 64 * (size_t)columns;
    struct Array *thread = output_ints(r, "thread", n);
    struct Array *place = output_ints(r, "place", n);
    int *threads = wanted_ints(r, n), *places = wanted_ints(r, n);
    for (int t = 0; t < 128; t++)       /* from the holder to the sum     */
        for (int j = 0; j < 4 * ((columns + 7) / 8); j++) {
            int row = t / 32 * 16 + t % 32 / 4 + (j & 2) * 4;
            int column = j / 4 * 8 + t % 4 * 2 + (j & 1);
            if (column < columns) {
                threads[row * columns + column] = t;
                places[row * columns + column] = j;
            }
        }
    LAUNCH(r, "holder", blocks_for(n, 128), ARRAY(thread), ARRAY(place),
           INT(columns));
    expect_ints(r, thread, threads);
    expect_ints(r, place, places);
    budget(r, "sectors read", "gld_sec", 0, 0);
    budget(r, "sectors written", "gst_sec", 2 * 64 * 192 / 8,
           2 * 64 * 192 / 8);
    budget(r, "branches that split", "branch_div", 0, 0);
}

/* bf16 numbers between -1 and 1 */
static struct Array *input_bf16(struct Run *r, const char *name, size_t n)
{
    struct Array *a = input_array(r, name, ARRAY_BF16, n);
    for (size_t i = 0; i < n; i++)
        a->h[i] = (uint16_t)(case_random(r, 0, 1) << 15 |
                             case_random(r, 0x3d80, 0x3f7f));
    refill(r, a);
    return a;
}

static double of_bf16(const struct Array *a, size_t i)
{
    float x;
    memcpy(&x, &(uint32_t){ (uint32_t)a->h[i] << 16 }, sizeof x);
    return (double)x;
}

/* row i of a times row j of b, which have k numbers each */
static double dot_bf16(const struct Array *a, size_t i,
                       const struct Array *b, size_t j, size_t k)
{
    double sum = 0;
    for (size_t q = 0; q < k; q++)
        sum += of_bf16(a, i * k + q) * of_bf16(b, j * k + q);
    return sum;
}

static void run_fragments(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *a = input_bf16(r, "a", 256 * n);
    struct Array *b = input_bf16(r, "b", 128 * n);
    struct Array *d = output_floats(r, "d", 128 * n);
    float *wanted = wanted_floats(r, 128 * n);
    for (size_t i = 0; i < 128 * n; i++)
        wanted[i] = (float)dot_bf16(a, i / 8, b, i / 128 * 8 + i % 8, 16);
    LAUNCH(r, "products", blocks_for(32 * n, 128), ARRAY(d), ARRAY(a),
           ARRAY(b), INT((int)n));
    expect_floats(r, d, wanted, 0, 4e-6);
    budget(r, "instructions of tensor cores", "tensor_inst", 24, 24);
    budget(r, "requests to read", "gld_req", 24 * 6, 24 * 6);
    budget(r, "sectors read", "gld_sec", 24 * 48, 24 * 48);
    budget(r, "sectors written", "gst_sec", 24 * 32, 24 * 16);
}

extern const struct Exercise tensor_cores_exercises[];
const struct Exercise tensor_cores_exercises[] = {
    /* exercises of tensor cores */
    { .name = "tensor-cores/holder", .title = "who holds this sum?",
      .difficulty = 1, .run = run_holder,
      .size = { 1, 7, 8, 9, 17, 192 },
      .largest = 100,
      .hint = { "Take the row apart: m / 16 is the warp, m % 8 is g, and "
                "one bit of m is left.  Which part of the result does it "
                "choose?",
                "The column: n % 2 and n / 8 belong to the place, n % 8 / "
                "2 is t.",
                "The place is 4 (n / 8) + 2 (m / 8 % 2) + n % 2." } },
    { .name = "tensor-cores/fragments",
      .title = "one instruction, 2,048 products",
      .difficulty = 2, .run = run_fragments, .size = { 1, 2, 3, 5, 24 },
      .largest = 20,
      .hint = { "A row of A is 8 unsigned.  Pair t of row g is a[8 g + "
                "t]; the pair 8 columns further is 4 unsigned further.",
                "A column of B is 8 unsigned as well, and column g is the "
                "column of the lane.",
                "Begin the sums at 0.  d[0] and d[1] are neighbours in "
                "memory: one float2.",
                "For a fourth star: a sum over k may be taken in any "
                "order." } },
    { .name = NULL },
};
