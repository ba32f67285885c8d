/* Tangled from chapters/workshop/file-formats.nw, "A model and a shard".  Edit it there. */

#include "programs/open_shard.h"

#include <stdlib.h>
#include "base/alloc.h"
#include "gpt2/mean_loss.h"

/* open model and shard, or end with the reason */
void model_and_shard_open(struct Model *m, struct Loader *data,
                          const struct ModelSource *f,
                          struct ShardSource *s)
{
    struct Error e;
    if (!f->init || !s->pattern)
        misuse("needs --init FILE.safetensors and --data SHARD");
    model_open(m, f, s->batch, s->seq);
    s->seq = s->seq ? s->seq : m->config.T;
    struct LoaderConfig l = { .pattern = s->pattern, .T = s->seq,
                              .V = m->config.V };
    if (!loader_open(data, &l, &e))
        fail("%s", e.text);
}

/* the loss of the first rows of a shard */
double shard_loss(struct Model *m, const struct Loader *data,
                  const struct ShardSource *s, uint64_t rows)
{
    const size_t n = (size_t)s->batch * (size_t)s->seq;
    int32_t *x = xcalloc(2 * n, sizeof *x);
    const double loss = model_mean_loss(m, data, rows, s->batch, s->seq,
                                        x, x + n);
    free(x);
    return loss;
}
