/* Tangled from chapters/workshop/quantised-weights.nw, "Losses with a stride".  Edit it there. */

#include "programs/eval_strided.h"

#include <math.h>
#include <stdio.h>
#include "gpt2/strided_loss.h"

struct Reader {
    struct Decoder d;
    struct QuantisedModel q;
};

static void reader_open(struct Reader *r, struct Model *m, int rows, int T,
                        const char *init)
{
    char path[FILE_PATH_MAX];
    struct Error e;
    r->q = (struct QuantisedModel){ .m = m };
    if (!decoder_create(&r->d, m, rows, T, &e)
        || (r->d.cache && !quantised_model_read(&r->q, m, model_file(
                                                path, init), &e)))
        fail("%s", e.text);
    if (r->d.cache)
        decoder_quantise(&r->d, &r->q);
}

static void reader_close(struct Reader *r)
{
    decoder_free(&r->d);
    quantised_model_free(&r->q);
}

/* open the model that is compared with */
static void other_open(struct Model *other, const struct Model *m,
                       const char *against, int seq)
{
    const struct ModelSource f = { .init = against,
        .precision = "fp32", .heads = m->config.NH };
    model_open(other, &f, 1, seq);
    if (other->config.V != m->config.V)
        fail("%s: a vocabulary of %d tokens, but the other model has %d; "
             "only models of the same tokens can be compared", against,
             other->config.V, m->config.V);
}


/* print what the windows have given */
bool eval_strided(struct Model *m, const struct Loader *data,
                  const struct ShardSource *s, const char *init,
                  const char *against, int stride, int64_t batches)
{
    struct StridedLoss r = { 0 };
    struct Reader one, two;
    struct Model other;
    struct Error e;
    reader_open(&one, m, s->batch, s->seq, init);
    if (against) {
        other_open(&other, m, against, s->seq);
        reader_open(&two, &other, s->batch, s->seq, against);
    }
    const uint64_t most = batches ? (uint64_t)(batches * s->batch)
                                  : UINT64_MAX;
    for (size_t i = 0; i < data->shards; i++)
        if (!strided_loss(&r, &one.d, against ? &two.d : NULL,
                          data->shard[i].token, data->shard[i].count,
                          stride, most - r.tokens / (uint64_t)stride,
                          &e))
            fail("%s", e.text);
    const double loss = r.sum / (double)r.tokens;
    printf("loss %.6f tokens %llu stride %d perplexity %.4f", loss,
           (unsigned long long)r.tokens, stride, exp(loss));
    if (against) {
        printf(" agreement %.2f %%", 100 * (double)r.agree
                                     / (double)r.tokens);
        reader_close(&two);
        model_free(&other);
    }
    putchar('\n');
    reader_close(&one);
    return isfinite(loss);
}
