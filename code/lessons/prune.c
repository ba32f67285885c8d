/* Tangled from chapters/workshop/measuring-ceilings.nw, "prune: what a model loses".  Edit it there. */

/* prune: the loss of a model whose weights have been pruned. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/args.h"
#include "bench/numbers.h"
#include "lessons/prune.h"
#include "programs/open_shard.h"

static struct ModelSource file;
static struct ShardSource shard = { .batch = 8 };
static const char *out, *machine;
static int64_t rows_most = 64;
static struct Numbers numbers;

/* prune: prune the matrices of all layers */
enum Way { DENSE, MAGNITUDE, RANDOM, TWO_FOUR, BLOCKS };

struct Pruning { const char *name; enum Way way; double part; };

static bool prune(float *w, const struct Param *p,
                  const struct Pruning *how, struct Error *e)
{
    switch (how->way) {
    case MAGNITUDE:
    case RANDOM:
        return prune_numbers(w, p->size, how->part, how->way == RANDOM, e);
    case TWO_FOUR:
        return prune_two_four(w, p->rows, p->cols, e);
    case BLOCKS:
        return prune_blocks(w, p->rows, p->cols, 16, how->part, e);
    default:
        return true;
    }
}

/* The weights, pruned; the part of those numbers that are zero. */
static double prune_all(struct Model *m, const real *weights,
                        const struct Pruning *how)
{
    struct Error e;
    size_t zeros = 0, all = 0;
    real *w = model_borrow(m);
    if (!w)
        fail("the weights cannot be had");
    memcpy(w, weights, m->table.total * sizeof *w);
    for (int i = 0; i < m->table.n; i++) {
        const struct Param *p = &m->table.row[i];
        if (strncmp(p->name, "h.", 2) != 0 || p->rows == 0)
            continue;
        if (!prune(w + p->offset, p, how, &e))
            fail("%s: %s", p->name, e.text);
        for (size_t k = 0; k < p->size; k++)
            zeros += w[p->offset + k] == 0;
        all += p->size;
    }
    model_return(m, w, true);
    return (double)zeros / (double)all;
}

/* prune: each way and part */
static const struct Pruning prunings[] = {
    { "dense", DENSE, 0 },
    { "free.25", MAGNITUDE, 0.25 }, { "free.50", MAGNITUDE, 0.5 },
    { "free.75", MAGNITUDE, 0.75 }, { "free.90", MAGNITUDE, 0.9 },
    { "two-four", TWO_FOUR, 0.5 },
    { "block.25", BLOCKS, 0.25 }, { "block.50", BLOCKS, 0.5 },
    { "block.75", BLOCKS, 0.75 }, { "block.90", BLOCKS, 0.9 },
    { "random.25", RANDOM, 0.25 }, { "random.50", RANDOM, 0.5 },
    { "all.100", MAGNITUDE, 1 },
};

static void each_pruning(struct Model *m, const struct Loader *data)
{
    const uint64_t rows = (uint64_t)rows_most < data->windows
                        ? (uint64_t)rows_most : data->windows;
    real *w = model_borrow(m), *weights;
    if (!w)
        fail("the weights cannot be had");
    weights = xcalloc(m->table.total, sizeof *weights);
    memcpy(weights, w, m->table.total * sizeof *w);
    model_return(m, w, false);
    for (size_t i = 0; i < sizeof prunings / sizeof *prunings; i++) {
        const struct Pruning *how = &prunings[i];
        const double zeros = prune_all(m, weights, how);
        const double loss = shard_loss(m, data, &shard, rows);
        if (!isfinite(loss))
            fail("%s: the loss is %g", how->name, loss);
        printf("%-10s %6.2f %% zeros  loss %.4f\n", how->name, 100 * zeros,
               loss);
        number_put(&numbers, "nats", loss, "prune.%s", how->name);
        number_put(&numbers, "%", 100 * zeros, "prune.%s.zeros", how->name);
    }
    free(weights);
}

/* prune: main */
static const struct Option options[] = {
    MODEL_FILE_OPTIONS(file),
    SHARD_OPTIONS(shard),
    { "rows", OPT_INT64, &rows_most, 1, 1e15, "N",
      "stop after N rows of tokens", NULL },
    NUMBERS_OPTIONS(out, machine),
    { .type = OPT_END },
};

int main(int argc, char **argv)
{
    static const struct Usage usage = {
        "--init FILE.safetensors --data SHARD [options]",
        "Print the loss of a model over a shard after each way of pruning.",
        NULL };
    struct Model m;
    struct Loader data;
    struct Error e;
    args_options(argc, argv, options, &usage);
    model_and_shard_open(&m, &data, &file, &shard);
    if (!numbers_open(&numbers, out, machine, "build/bin/prune", &e))
        fail("%s", e.text);
    each_pruning(&m, &data);
    if (!model_ok(&m, &e) || !numbers_close(&numbers, &e))
        fail("%s", e.text);
    loader_close(&data);
    model_free(&m);
    return 0;
}
