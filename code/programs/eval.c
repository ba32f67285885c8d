/* Tangled from chapters/workshop/file-formats.nw, "The program eval".  Edit it there. */

/* eval: the mean loss of a model over a shard. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/alloc.h"
#include "base/args.h"
#include "data/loader.h"
#include "gpt2/mean_loss.h"
#include "programs/kernels.h"
#include "programs/open_model.h"

/* the options of eval */
static struct ModelSource file;
static const char *shard;
static int batch = 4, seq;
static int64_t batches;

static const struct Option options[] = {
    MODEL_FILE_OPTIONS(file),
    { "data", OPT_STRING, &shard, 0, 0, "SHARD",
      "tokens, as tokenize encode writes them", NULL },
    { "batch", OPT_INT, &batch, 1, 65536, "B", "rows at a time", NULL },
    { "seq", OPT_INT, &seq, 1, 65536, "T",
      "tokens in a row (default: the model's context)", NULL },
    { "batches", OPT_INT64, &batches, 1, 1e15, "N",
      "stop after N batches (default: the whole shard)", NULL },
    { .type = OPT_END },
};

static const struct Usage usage = {
    "--init FILE.safetensors --data SHARD [options]",
    "Print the mean cross-entropy of a model over a shard, in nats.", NULL
};

/* the loss of as many rows as are asked for */
static double loss_of(struct Model *m, const struct Loader *data,
                      uint64_t *tokens)
{
    const size_t n = (size_t)batch * (size_t)seq;
    int32_t *x = xcalloc(2 * n, sizeof *x);
    uint64_t rows = data->windows;
    if (batches && (uint64_t)batches < rows / (uint64_t)batch)
        rows = (uint64_t)batches * (uint64_t)batch;
    const double loss = model_mean_loss(m, data, rows, batch, seq,
                                        x, x + n);
    free(x);
    *tokens = rows * (uint64_t)seq;
    return loss;
}

/* open model and data, or end with the reason */
static void open_all(struct Model *m, struct Loader *data)
{
    struct Error e;
    if (!file.init || !shard)
        misuse("needs --init FILE.safetensors and --data SHARD");
    model_open(m, &file, batch, seq);
    seq = seq ? seq : m->config.T;
    struct LoaderConfig l = { .pattern = shard, .T = seq,
                              .V = m->config.V };
    if (!loader_open(data, &l, &e))
        fail("%s", e.text);
}

int main(int argc, char **argv)
{
    args_options(argc, argv, options, &usage);
    struct Model m;
    struct Loader data;
    open_all(&m, &data);
    uint64_t tokens;
    struct Error e;
    double loss = loss_of(&m, &data, &tokens);
    if (!model_ok(&m, &e))
        fail("%s", e.text);
    printf("loss %.6f tokens %llu\n", loss, (unsigned long long)tokens);
    loader_close(&data);
    model_free(&m);
    return isfinite(loss) ? 0 : 1;
}
