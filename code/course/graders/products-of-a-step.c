/* Tangled from chapters/course/products-of-a-step-solutions.nw, "Solutions: the matmuls of a training step".  Edit it there. */

#include "course/course.h"

#include <math.h>
#include <string.h>

/* graders of products of a step */
static void run_roles(struct Run *r)
{
    bool counted = case_counted(r);
    int M = case_size(r), N = counted ? 64 : case_random(r, 1, 40);
    int K = counted ? 16 : case_random(r, 1, 20), gap = counted ? 0 : 3;
    int ta = case_random(r, 0, 1), tb = case_random(r, 0, 1);
    int lda = (ta ? M : K) + case_random(r, 0, gap);
    int ldb = (tb ? K : N) + case_random(r, 0, gap);
    int ldc = N + case_random(r, 0, gap);
    struct Array *a = input_floats(r, "a", (size_t)((ta ? K : M) * lda),
                                   -1, 1);
    struct Array *b = input_floats(r, "b", (size_t)((tb ? N : K) * ldb),
                                   -1, 1);
    size_t n = (size_t)(M * ldc);
    struct Array *c = in_place(input_floats(r, "c", n, 5, 6));
    float *wanted = wanted_floats(r, n);
    memcpy(wanted, c->f, n * sizeof *wanted);   /* between rows it stays */
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < K; k++)
                sum += (double)a->f[ta ? k * lda + i : i * lda + k] *
                       (double)b->f[tb ? j * ldb + k : k * ldb + j];
            wanted[i * ldc + j] = (float)sum;
        }
    LAUNCH(r, "matmul", blocks_for((size_t)(M * N), 64), ARRAY(c), ARRAY(a),
           ARRAY(b), INT(M), INT(N), INT(K), INT(ta), INT(tb), INT(lda),
           INT(ldb), INT(ldc));
    expect_floats(r, c, wanted, 1e-5, 1e-5);
    budget(r, "sectors written", "gst_sec", 256, 256);
}

static void run_order(struct Run *r)
{
    enum { WAVE = 16, DEPTH = 16 };
    int rows = case_size(r), cols = case_random(r, 1, 12);
    if (case_counted(r))
        cols = 24;
    size_t M = 8 * (size_t)rows, N = 8 * (size_t)cols;
    struct Array *a = input_floats(r, "a", M * DEPTH, -1, 1);
    struct Array *b = input_floats(r, "b", DEPTH * N, -1, 1);
    struct Array *c = output_floats(r, "c", M * N);
    float *wanted = wanted_floats(r, M * N);
    for (size_t i = 0; i < M * N; i++) {
        double sum = 0;
        for (size_t k = 0; k < DEPTH; k++)
            sum += (double)a->f[i / N * DEPTH + k] *
                   (double)b->f[k * N + i % N];
        wanted[i] = (float)sum;
    }
    for (int first = 0; first < rows * cols; first += WAVE) {
        int left = rows * cols - first;
        struct Shape wave = {
            { (uint32_t)(left < WAVE ? left : WAVE), 1, 1 }, { 64, 1, 1 }, 0
        };
        LAUNCH(r, "matmul", wave, ARRAY(c), ARRAY(a), ARRAY(b), INT(rows),
               INT(cols), INT(first));
    }
    expect_floats(r, c, wanted, 1e-5, 1e-5);
    budget(r, "different sectors read in a wave", "unique_read", 3840,
           3072);
}

static void run_depth(struct Run *r)
{
    int M = case_size(r), K = case_random(r, 1, 40);
    int parts = case_random(r, 1, 7);
    if (case_counted(r))
        K = 64, parts = 4;
    size_t m = (size_t)M, n = 32 * m, k = (size_t)K;
    struct Array *a = input_floats(r, "a", m * k, -1, 1);
    struct Array *b = input_floats(r, "b", k * 32, -1, 1);
    struct Array *bias = input_floats(r, "bias", 32, -1, 1);
    struct Array *part = output_floats(r, "part", n * (size_t)parts);
    struct Array *c = output_floats(r, "c", n);
    float *wanted = wanted_floats(r, n);
    for (size_t i = 0; i < n; i++) {
        double sum = (double)bias->f[i % 32];
        for (size_t q = 0; q < k; q++)
            sum += (double)a->f[i / 32 * k + q] *
                   (double)b->f[q * 32 + i % 32];
        wanted[i] = (float)fmax(sum, 0);
    }
    struct Shape shape = blocks_for(n, 256), cut = shape;
    cut.grid.y = (uint32_t)parts;
    LAUNCH(r, "work", cut, ARRAY(part), ARRAY(a), ARRAY(b), ARRAY(bias),
           INT(M), INT(K), INT(parts));
    LAUNCH(r, "finish", shape, ARRAY(c), ARRAY(part), ARRAY(bias), INT(M),
           INT(parts));
    expect_floats(r, c, wanted, 1e-5, 1e-5);
    budget(r, "sectors read", "gld_sec", 11264, 10880);
    budget(r, "sectors written", "gst_sec", 640, 640);
}

static void run_edge(struct Run *r)
{
    size_t cols = (size_t)case_size(r);
    size_t rows = case_counted(r) ? 40 : (size_t)case_random(r, 1, 50);
    size_t ld = (cols + 7) / 8 * 8, down = (rows + 15) / 16;
    struct Array *x = input_floats(r, "x", (rows - 1) * ld + cols, -1, 1);
    for (size_t i = 0; i < x->n; i++)
        if (i % ld >= cols)
            x->f[i] = NAN;
    refill(r, x);
    struct Array *y = output_floats(r, "y", down * cols);
    float *wanted = wanted_floats(r, down * cols);
    for (size_t i = 0; i < down * cols; i++) {
        double sum = 0;
        for (size_t m = i / cols * 16; m < rows && m < i / cols * 16 + 16;
             m++)
            sum += (double)x->f[m * ld + i % cols];
        wanted[i] = (float)sum;
    }
    struct Shape tiles = {
        { (uint32_t)((cols + 31) / 32), (uint32_t)down, 1 }, { 128, 1, 1 },
        0
    };
    LAUNCH(r, "tile_sums", tiles, ARRAY(y), ARRAY(x), INT((int)rows),
           INT((int)cols), INT((int)ld));
    expect_floats(r, y, wanted, 1e-5, 1e-5);
    budget(r, "requests of loads to registers", "gld_req", 0, 0);
    budget(r, "requests of copies", "async_cg_req", 24, 20);
    budget(r, "sectors copied", "async_cg_sec", 280, 280);
}

static void run_ahead(struct Run *r)
{
    int blocks = 3, steps = case_size(r);
    size_t n = 128 * (size_t)blocks;
    struct Array *x = input_floats(r, "x", n * (size_t)steps, -1, 1);
    struct Array *y = output_floats(r, "y", n);
    float *wanted = wanted_floats(r, n);
    for (size_t i = 0; i < n; i++) {
        const float *piece = x->f + i / 128 * 128 * (size_t)steps;
        double sum = 0;
        for (size_t s = 0; s < (size_t)steps; s++)
            sum += (double)piece[128 * s + 127 - i % 128];
        wanted[i] = (float)sum;
    }
    LAUNCH(r, "reversed", blocks_for(n, 128), ARRAY(y), ARRAY(x),
           INT(steps));
    expect_floats(r, y, wanted, 1e-5, 1e-5);
    budget(r, "requests of loads to registers", "gld_req", 0, 0);
    budget(r, "barriers (warps arriving)", "barriers", 12 * 21, 12 * 20);
    budget(r, "bytes of shared memory", "smem_static", 1536, 1536);
}

static uint16_t nearest(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

static void run_sums(struct Run *r)
{
    size_t blocks = (size_t)case_size(r), n = blocks * 8 * 128;
    struct Array *x = input_floats(r, "x", n, -1, 1);
    struct Array *y = output_array(r, "y", ARRAY_BF16, n);
    uint16_t *wanted = (uint16_t *)wanted_ints(r, n);
    for (size_t i = 0; i < n; i++) {
        size_t row = i / 128 % 8, column = i % 128;
        size_t lane = 4 * row + column % 8 / 2;
        wanted[i] = nearest(x->f[i / 1024 * 1024 + column / 8 * 64 +
                                 2 * lane + column % 2]);
    }
    struct Shape warps = { { (uint32_t)blocks, 1, 1 }, { 32, 1, 1 }, 0 };
    LAUNCH(r, "finish", warps, ARRAY(y), ARRAY(x));
    expect_bits(r, y, wanted);
    budget(r, "conflicts of stores", "sst_conf", 0, 0);
    budget(r, "conflicts of loads", "sld_conf", 0, 0);
    budget(r, "bytes of shared memory", "smem_static", 4096, 4096);
    budget(r, "requests to write", "gst_req", 16, 16);
}

extern const struct Exercise products_of_a_step_exercises[];
const struct Exercise products_of_a_step_exercises[] = {
    /* exercises of products of a step */
    { .name = "products-of-a-step/roles", .title = "a column-major library",
      .difficulty = 1, .run = run_roles,
      .size = { 1, 2, 3, 17, 33, 32 },
      .largest = 40,
      .hint = { "Take the bytes of a 2 x 3 matrix that is stored row "
                "after row, and read them column after column.  Which "
                "matrix is it?",
                "The library sees the transposes of our matrices.  Which "
                "product of transposes is the transpose of c?",
                "The transpose of a b is b' a'.  Exchange the operands "
                "and the sizes.  What becomes of ta and tb?" } },
    { .name = "products-of-a-step/order",
      .title = "slow: which tile does a block take?",
      .difficulty = 2, .run = run_order, .size = { 1, 3, 4, 5, 9, 16 },
      .largest = 14,
      .hint = { "A wave reads a strip of a for each row of tiles that it "
                "touches and a strip of b for each column.  How many "
                "strips are 16 tiles of one row?  What is the least for "
                "16 tiles?",
                "Let a group of four rows of tiles go together: first the "
                "four tiles of column 0, then those of column 1.",
                "A group has 4 * cols blocks.  The last group may have "
                "fewer than four rows: count them, and divide by that "
                "number." } },
    { .name = "products-of-a-step/depth",
      .title = "broken: a sum cut into parts",
      .difficulty = 2, .run = run_depth, .size = { 1, 2, 7, 9, 33, 32 },
      .largest = 40,
      .hint = { "How often is the bias added to an element of c?",
                "relu(x) + relu(y) is not relu(x + y).  Who knows the "
                "whole sum?",
                "Let K be 10 and parts 4: which terms has the last part? "
                "Let K be 5: which has it then?" } },
    { .name = "products-of-a-step/edge", .title = "zeros after the edge",
      .difficulty = 2, .run = run_edge,
      .size = { 1, 3, 4, 31, 32, 33, 66, 50 }, .largest = 80,
      .hint = { "Thread t has row t / 8 of the tile and the numbers from "
                "4 * (t % 8) on.",
                "How many of its four numbers are inside the matrix? "
                "There may be none or more than four: keep the number of "
                "bytes between 0 and 16.",
                "In a row that does not exist it is 0 bytes.",
                "Each thread knows of its own copies only.  First it "
                "waits for them, then for the other threads." } },
    { .name = "products-of-a-step/ahead",
      .title = "broken: copies that run ahead",
      .difficulty = 3, .run = run_ahead, .size = { 1, 2, 3, 4, 7, 20 },
      .largest = 30,
      .hint = { "Which buffer does the copy of step i + 2 overwrite, and "
                "which step may a slow warp still be reading from it?",
                "After the barrier of step i, all warps have read step i "
                "- 1.  So the copy of step i + 2 may start then, and not "
                "earlier.",
                "The wait counts groups.  How many have been committed "
                "after the group of step i when the wait is reached?  In "
                "the last two steps as well?",
                "Commit in each iteration, even if there is nothing left "
                "to copy." } },
    { .name = "products-of-a-step/sums",
      .title = "slow: sums in the wrong banks",
      .difficulty = 4, .run = run_sums,
      .size = { 1, 3, 4 }, .largest = 6,
      .hint = { "A store of 8 bytes takes half a warp at a time.  Which "
                "rows and which columns do lanes 0 to 15 have, and in "
                "which banks does each row begin?",
                "Four rows need four different groups of eight banks: "
                "exchange the chunks of eight columns by an exclusive or "
                "with the row.",
                "A load of 16 bytes takes eight lanes at a time.  They "
                "read at distances of 32 bytes: four of them use all the "
                "banks that the eight use.",
                "Let lanes whose c is 4 to 7 or 12 to 15 load their "
                "second float4 first." } },
    { .name = NULL },
};
