/* Tangled from chapters/course/matmul-solutions.nw, "Solutions: matrix products on CUDA cores".  Edit it there. */

#include "course/course.h"

/* graders of matmul */
struct Matmul { int m, n, k; struct Array *a, *b, *c; float *wanted; };

static struct Matmul matmul_new(struct Run *r)
{
    struct Matmul x = { .m = case_size(r) };
    x.n = case_counted(r) ? 64 : case_random(r, 1, 70);
    x.k = case_counted(r) ? 64 : case_random(r, 1, 70);
    x.a = input_floats(r, "a", (size_t)(x.m * x.k), -1, 1);
    x.b = input_floats(r, "b", (size_t)(x.k * x.n), -1, 1);
    x.c = output_floats(r, "c", (size_t)(x.m * x.n));
    x.wanted = wanted_floats(r, (size_t)(x.m * x.n));
    for (int i = 0; i < x.m; i++)
        for (int j = 0; j < x.n; j++) {
            double sum = 0;
            for (int p = 0; p < x.k; p++)
                sum += (double)x.a->f[i * x.k + p] *
                       (double)x.b->f[p * x.n + j];
            x.wanted[i * x.n + j] = (float)sum;
        }
    return x;
}

/* A block of 16 x 16 threads computes a tile of rows x 16 results. */
static void matmul_launch(struct Run *r, const struct Matmul *x, int rows)
{
    struct Shape s = { { (uint32_t)(x->n + 15) / 16,
                         (uint32_t)((x->m + rows - 1) / rows), 1 },
                       { 16, 16, 1 }, 0 };
    LAUNCH(r, "matmul", s, ARRAY(x->c), ARRAY(x->a), ARRAY(x->b),
           INT(x->m), INT(x->n), INT(x->k));
    expect_floats(r, x->c, x->wanted, 0, 2e-5);
}

static void run_coalesced(struct Run *r)
{
    struct Matmul x = matmul_new(r);
    matmul_launch(r, &x, 16);
    budget(r, "sectors read", "gld_sec", 32768, 32768);
    budget(r, "sectors written", "gst_sec", 512, 512);
}

static void run_tile(struct Run *r)
{
    struct Matmul x = matmul_new(r);
    matmul_launch(r, &x, 16);
    budget(r, "sectors read", "gld_sec", 4096, 4096);
    budget(r, "sectors written", "gst_sec", 512, 512);
    budget(r, "bank conflicts", "sld_conf+sst_conf", 0, 0);
    budget(r, "barriers (warps arriving)", "barriers", 1024, 1024);
}

static void run_registers(struct Run *r)
{
    struct Matmul x = matmul_new(r);
    matmul_launch(r, &x, 64);
    budget(r, "shared loads: wavefronts", "sld_wave", 24576, 20480);
    budget(r, "sectors read", "gld_sec", 5120, 5120);
    budget(r, "bank conflicts", "sld_conf+sst_conf", 0, 0);
    budget(r, "barriers (warps arriving)", "barriers", 512, 512);
}

static void run_stages(struct Run *r)
{
    struct Matmul x = matmul_new(r);
    matmul_launch(r, &x, 16);
    budget(r, "sectors read", "gld_sec", 4096, 4096);
    budget(r, "bank conflicts", "sld_conf+sst_conf", 0, 0);
    budget(r, "barriers (warps arriving)", "barriers", 512, 512);
}

extern const struct Exercise matmul_exercises[];
const struct Exercise matmul_exercises[] = {
    /* exercises of matmul */
    { .name = "matmul/coalesced", .title = "slow: whose neighbour is whose?",
      .difficulty = 1, .run = run_coalesced,
      .size = { 1, 15, 16, 17, 50, 64 }, .largest = 40,
      .hint = { "A warp of this block has 16 lanes with one threadIdx.y and 16 "
                "with the next.  Which numbers of a, b and c do 16 lanes with "
                "neighbouring threadIdx.x touch?",
                "Lanes with neighbouring threadIdx.x should be neighbours in a "
                "row of c, and so of b." } },
    { .name = "matmul/tile", .title = "a tile in shared memory",
      .difficulty = 3, .run = run_tile,
      .size = { 1, 15, 16, 17, 50, 64 }, .largest = 40,
      .hint = { "Go along k in steps of 16.  For each step the block needs 16 "
                "x 16 numbers of a and 16 x 16 of b: each thread loads one of "
                "either.",
                "Two barriers a step: nobody reads the tiles before all have "
                "stored, and nobody stores the next ones before all have read.",
                "At the edges the tiles have places without a number.  A 0 "
                "there changes no sum.  All threads must reach the barriers, "
                "also those without a number of c." } },
    { .name = "matmul/registers", .title = "four results for each thread",
      .difficulty = 4, .run = run_registers,
      .size = { 1, 17, 63, 65, 100, 128 }, .largest = 90,
      .hint = { "A number of b that a thread has loaded serves all four "
                "results, if they are in one column.",
                "The tile of a has 64 rows now: each thread loads four numbers "
                "of it and one of b, between the same two barriers.",
                "Give a thread the rows ty, ty + 16, ty + 32 and ty + 48 of "
                "the tile, and an array float sum[4] whose loops have constant "
                "bounds: it stays in registers." } },
    { .name = "matmul/stages", .title = "broken: two tiles that take turns",
      .difficulty = 2, .run = run_stages,
      .size = { 1, 15, 16, 17, 50, 64 }, .largest = 40,
      .hint = { "Which of the two tiles is used in the second step?",
                "A tile has places beyond k as well.  What is read there?" } },
    { .name = NULL },
};
