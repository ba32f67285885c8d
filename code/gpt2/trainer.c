/* Chapter 17, Training: 17.7 The trainer */
/* Tangled from chapters/17-training.nw by `make tangle`; edit it there. */

#include "gpt2/trainer.h"

#include "ops/adamw.h"
#include "ops/machine.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* reserve the moments and one micro-batch (17.7) */
static void reserve(struct Trainer *t)
{
    size_t moment = t->model.table.total * sizeof(real);
    size_t batch = (size_t)t->config.B * (size_t)t->config.T
                   * sizeof(int32_t);
    t->m = machine_alloc(moment, "the optimiser");
    t->v = machine_alloc(moment, "the optimiser");
    machine_zero(t->m, moment);
    machine_zero(t->v, moment);
    arena_create(&t->arena, 2 * arena_round(batch), "a batch");
    t->tokens = arena_alloc(&t->arena, batch);
    t->targets = arena_alloc(&t->arena, batch);
}


/* create and free a trainer (17.7) */
bool trainer_create(struct Trainer *t, const struct TrainConfig *config,
                    const struct Config *model, const char *data,
                    const char *val, struct Error *e)
{
    memset(t, 0, sizeof *t);
    t->config = *config;
    struct LoaderConfig l = { .pattern = data, .T = config->T,
        .V = model->V, .shuffle = true, .seed = config->seed };
    if (!loader_open(&t->data, &l, e))
        return false;
    l.pattern = val;
    l.shuffle = false;
    if (val && !loader_open(&t->val, &l, e))
        return false;
    if (!model_create(&t->model, model, config->B, config->T, true, e))
        return false;
    reserve(t);
    return true;
}

void trainer_free(struct Trainer *t)
{
    loader_close(&t->data);
    loader_close(&t->val);
    model_free(&t->model);
    machine_free(t->m);
    machine_free(t->v);
    arena_free(&t->arena);
}


/* accumulate the gradient of K micro-batches (17.4) */
static double accumulate_gradient(struct Trainer *t)
{
    const int B = t->config.B, T = t->config.T, K = t->config.accumulate;
    double loss = 0;
    for (int k = 0; k < K; k++) {
        uint64_t first = (uint64_t)t->sequences + (uint64_t)k * (uint64_t)B;
        loader_batch(&t->data, t->tokens, t->targets, first, B);
        loss += model_train(&t->model, t->tokens, t->targets, B, T,
                            (real)1 / (real)K, k > 0);
    }
    return loss / K;
}


/* move the weights along a clipped gradient (17.5) */
static void move_weights(struct Trainer *t, const struct StepReport *r)
{
    const struct TrainConfig *c = &t->config;
    struct AdamwStep s = {
        .lr = r->lr, .beta1 = c->beta1, .beta2 = c->beta2, .eps = c->eps,
        .scale = c->clip > 0 && r->norm > c->clip ? c->clip / r->norm : 1,
        .step = t->step + 1,
    };
    for (int i = 0; i < t->model.table.n; i++) {
        const struct Param *p = &t->model.table.row[i];
        size_t at = p->offset;
        s.decay = p->decay ? c->decay : 0;
        adamw_update(t->model.w.base + at, t->m + at, t->v + at,
                     t->model.g.base + at, p->size, &s);
    }
}


/* refuse a step that is not finite (17.6) */
static bool refuse_step(const struct Trainer *t, const struct StepReport *r,
                        struct Error *e)
{
    return error_set(e, "step %lld: the loss is %g and the gradient's "
                     "norm %g, at a learning rate of %g; the weights "
                     "were not changed by this step. The usual reason is "
                     "a rate too high: try a smaller --lr, a longer "
                     "--warmup, or --clip 1",
                     (long long)t->step + 1, r->loss, r->norm, r->lr);
}


/* use the gradient (17.1) */
bool trainer_update(struct Trainer *t, struct StepReport *r,
                    struct Error *e)
{
    r->lr = schedule_lr(&t->config.schedule, t->step);
    r->norm = sqrt(sum_squares(t->model.g.base, t->model.table.total));
    if (!isfinite(r->loss) || !isfinite(r->norm))
        return refuse_step(t, r, e);
    move_weights(t, r);
    t->step++;
    return true;
}


/* take one step (17.1) */
bool trainer_step(struct Trainer *t, struct StepReport *r, struct Error *e)
{
    r->loss = accumulate_gradient(t);
    if (!trainer_update(t, r, e))
        return false;
    t->sequences += (int64_t)t->config.accumulate * t->config.B;
    return true;
}

/* measure the loss on text not trained on (17.7) */
double trainer_validate(struct Trainer *t, int64_t batches)
{
    const int B = t->config.B, T = t->config.T;
    uint64_t rows = batches > 0 ? (uint64_t)batches * (uint64_t)B : 0;
    if (rows == 0 || rows > t->val.windows)
        rows = t->val.windows;
    double sum = 0;
    for (uint64_t at = 0; at < rows; at += (uint64_t)B) {
        int n = rows - at < (uint64_t)B ? (int)(rows - at) : B;
        loader_batch(&t->val, t->tokens, t->targets, at, n);
        sum += n * model_loss(&t->model, t->tokens, t->targets, n, T);
    }
    return rows ? sum / (double)rows : NAN;
}


/* measure the entropy of single tokens (17.7) */
double trainer_unigram(const struct Trainer *t)
{
    enum { MANY = 10000000 };
    static uint64_t count[65536];
    uint64_t total = 0;
    memset(count, 0, sizeof count);
    for (size_t s = 0; s < t->data.shards && total < MANY; s++)
        for (size_t i = 0; i < t->data.shard[s].count; i++, total++)
            count[t->data.shard[s].token[i]]++;
    double entropy = 0;
    for (int i = 0; i < 65536; i++)
        if (count[i])
            entropy -= (double)count[i] / (double)total
                       * log((double)count[i] / (double)total);
    return entropy;
}


/* save and resume (17.8) */
static struct Field counter(const struct Trainer *t)
{
    return (struct Field){ "sequences", FIELD_INT64,
                           (void *)(uintptr_t)&t->sequences };
}

bool trainer_save(const struct Trainer *t, const char *out,
                  const struct Field *field, int n, struct Error *e)
{
    struct Field all[TRAINER_FIELDS] = { counter(t) };
    assert(n < TRAINER_FIELDS);
    for (int i = 0; i < n; i++)
        all[i + 1] = field[i];
    return checkpoint_save(out, t->step, &t->model, t->m, t->v, all, n + 1,
                           e);
}

bool trainer_resume(struct Trainer *t, const char *path, struct Error *e)
{
    struct Field own = counter(t);
    return checkpoint_load(path, &t->model, t->m, t->v, &own, 1, &t->step,
                           e);
}
