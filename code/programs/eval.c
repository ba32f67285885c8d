/* Tangled from chapters/workshop/file-formats.nw, "The program eval".  Edit it there. */

/* eval: the mean loss of a model over a shard. */
#include <math.h>
#include <stdio.h>
#include "base/args.h"
#include "programs/eval_strided.h"

/* the options of eval */
static struct ModelSource file;
static struct ShardSource shard = { .batch = 4 };
static int64_t batches;
static int stride;
static const char *against;

static const struct Option options[] = {
    MODEL_FILE_OPTIONS(file),
    SHARD_OPTIONS(shard),
    { "batches", OPT_INT64, &batches, 1, 1e15, "N",
      "stop after N batches (default: the whole shard)", NULL },
    { "stride", OPT_INT, &stride, 1, 65536, "N",
      "rows begin every N tokens; their last N are scored", NULL },
    { "against", OPT_STRING, &against, 0, 0, "FILE",
      "with --stride: how often does this model choose the same?", NULL },
    { .type = OPT_END },
};

static const struct Usage usage = {
    "--init FILE.safetensors --data SHARD [options]",
    "Print the mean cross-entropy of a model over a shard, in nats.", NULL
};

/* eval: print the loss of the rows */
static bool eval_rows(struct Model *m, const struct Loader *data)
{
    struct Error e;
    /* rows = as many as are asked for */
    const uint64_t batch = (uint64_t)shard.batch;
    uint64_t rows = data->windows;
    if (batches && (uint64_t)batches < rows / batch)
        rows = (uint64_t)batches * batch;
    const double loss = shard_loss(m, data, &shard, rows);
    if (!model_ok(m, &e))
        fail("%s", e.text);
    printf("loss %.6f tokens %llu\n", loss,
           (unsigned long long)(rows * (uint64_t)shard.seq));
    return isfinite(loss);
}

int main(int argc, char **argv)
{
    args_options(argc, argv, options, &usage);
    struct Model m;
    struct Loader data;
    if (against && !stride)
        misuse("--against needs --stride N");
    model_and_shard_open(&m, &data, &file, &shard);
    if (stride > shard.seq)
        misuse("--stride %d is more than the %d tokens of a row", stride,
               shard.seq);
    const bool finite = stride
        ? eval_strided(&m, &data, &shard, file.init, against, stride,
                       batches)
        : eval_rows(&m, &data);
    loader_close(&data);
    model_free(&m);
    return finite ? 0 : 1;
}
