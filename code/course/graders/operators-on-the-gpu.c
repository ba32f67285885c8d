/* Tangled from chapters/course/operators-on-the-gpu-solutions.nw, "Solutions: operators on the GPU".  Edit it there. */

#include <math.h>

#include "course/course.h"

/* graders of operators-on-the-gpu */
static void run_bias(struct Run *r)
{
    size_t N = (size_t)case_size(r);
    size_t C = case_counted(r) ? 64 : (size_t)case_random(r, 1, 99);
    struct Array *dy = input_floats(r, "dy", N * C, -1, 1);
    struct Array *db = output_floats(r, "db", C);
    float *wanted = wanted_floats(r, C);
    for (size_t c = 0; c < C; c++) {
        double sum = 0;
        for (size_t n = 0; n < N; n++)
            sum += (double)dy->f[n * C + c];
        wanted[c] = (float)sum;
    }
    LAUNCH(r, "bias", blocks_for(8 * C, 256), ARRAY(db), ARRAY(dy),
           INT((int)N), INT((int)C));
    expect_floats(r, db, wanted, 1e-5, 1e-4);
    budget(r, "sectors read", "gld_sec", 2048, 2048);
    budget(r, "bank conflicts", "sld_conf+sst_conf", 0, 0);
    budget(r, "barriers (warps arriving)", "barriers", 64, 16);
}

static void run_layernorm(struct Run *r)
{
    size_t N = (size_t)case_size(r);
    size_t C = case_counted(r) ? 128 : (size_t)case_random(r, 2, 99);
    struct Array *x = input_floats(r, "x", N * C, 999, 1001);
    struct Array *y = output_floats(r, "y", N * C);
    float *wanted = wanted_floats(r, N * C);
    for (size_t n = 0; n < N; n++) {
        const float *row = x->f + n * C;
        double m = 0, v = 0;
        for (size_t c = 0; c < C; c++)
            m += (double)row[c] / (double)C;
        for (size_t c = 0; c < C; c++)
            v += (row[c] - m) * (row[c] - m) / (double)C;
        for (size_t c = 0; c < C; c++)
            wanted[n * C + c] = (float)((row[c] - m) / sqrt(v + 1e-5));
    }
    LAUNCH(r, "layernorm", blocks_for(32 * N, 256), ARRAY(y), ARRAY(x),
           INT((int)N), INT((int)C));
    expect_floats(r, y, wanted, 1e-2, 1e-2);
    budget(r, "sectors read", "gld_sec", 3072, 3072);
    budget(r, "sectors written", "gst_sec", 1024, 1024);
    budget(r, "barriers (warps arriving)", "barriers", 0, 0);
}

static void run_embedding(struct Run *r)
{
    size_t N = (size_t)case_size(r);
    size_t C = case_counted(r) ? 64 : (size_t)case_random(r, 1, 64);
    struct Array *token = input_ints(r, "token", N, 0, 16);
    struct Array *dy = input_floats(r, "dy", N * C, -1, 1);
    struct Array *dw = in_place(input_floats(r, "dw", 16 * C, -1, 1));
    float *wanted = wanted_floats(r, 16 * C);
    for (size_t v = 0; v < 16; v++)
        for (size_t c = 0; c < C; c++) {
            double sum = dw->f[v * C + c];
            for (size_t n = 0; n < N; n++)
                if (token->i[n] == (int)v)
                    sum += dy->f[n * C + c];
            wanted[v * C + c] = (float)sum;
        }
    struct Shape rows = { { 16, 1, 1 }, { 64, 1, 1 }, 0 };
    LAUNCH(r, "embedding", rows, ARRAY(dw), ARRAY(token), ARRAY(dy),
           INT((int)N), INT((int)C));
    expect_floats(r, dw, wanted, 1e-5, 1e-4);
    budget(r, "bytes of atomic operations", "gatom_bytes+gred_bytes", 0, 0);
    budget(r, "sectors read", "gld_sec", 5248, 5248);
    budget(r, "sectors written", "gst_sec", 128, 128);
}

static void run_gelu(struct Run *r)
{
    size_t n = (size_t)case_size(r);
    struct Array *x = input_floats(r, "x", n, -5, 5);
    struct Array *y = output_floats(r, "y", n);
    float *wanted = wanted_floats(r, n);
    for (size_t i = 0; i < n; i++)
        wanted[i] = (float)(x->f[i] / (1 + exp(-1.702 * x->f[i])));
    struct Shape four = { { 4, 1, 1 }, { 256, 1, 1 }, 0 };
    LAUNCH(r, "gelu_all", four, ARRAY(y), ARRAY(x), INT((int)n));
    expect_floats(r, y, wanted, 1e-4, 1e-5);
    budget(r, "sectors read", "gld_sec", 1024, 1024);
    budget(r, "sectors written", "gst_sec", 1024, 1024);
}

extern const struct Exercise operators_on_the_gpu_exercises[];
const struct Exercise operators_on_the_gpu_exercises[] = {
    /* exercises of operators-on-the-gpu */
    { .name = "operators-on-the-gpu/bias",
      .title = "slow: the gradient of a bias",
      .difficulty = 2, .run = run_bias,
      .size = { 1, 7, 9, 31, 33, 100, 256 }, .largest = 150,
      .hint = { "Which addresses do the 32 lanes of a warp read in one load, "
                "and how many sectors is that?",
                "Let a lane keep one column, so that a warp reads 32 "
                "neighbours.  The eight warps share the rows.",
                "At the end eight sums of a column are in eight warps.  Add "
                "them through shared memory." } },
    { .name = "operators-on-the-gpu/layernorm",
      .title = "broken: LayerNorm, a warp for each row",
      .difficulty = 2, .run = run_layernorm,
      .size = { 1, 7, 8, 9, 33, 64 }, .largest = 60,
      .hint = { "What does the last block do if N is no multiple of eight?",
                "Which lanes know the sum after warp_sum?  All need it.",
                "v is a small difference of two large numbers.  Walk over "
                "the row again, and add up squares of differences." } },
    { .name = "operators-on-the-gpu/embedding",
      .title = "the gradient of an embedding",
      .difficulty = 2, .run = run_embedding,
      .size = { 1, 2, 15, 17, 100, 128 }, .largest = 90,
      .hint = { "Turn the question round: which positions belong to the row "
                "of this block?",
                "Each thread reads all tokens, and adds up one column of the "
                "rows of dy whose token is that of the block." } },
    { .name = "operators-on-the-gpu/gelu",
      .title = "a grid that is smaller than the work",
      .difficulty = 1, .run = run_gelu,
      .size = { 1, 255, 1023, 1025, 3001, 8192 }, .largest = 4000,
      .hint = { "Which numbers do the 32 lanes of a warp read at the same "
                "time?",
                "Let neighbouring threads take neighbouring numbers, and then "
                "go on by the number of threads in the grid." } },
    { .name = NULL },
};
