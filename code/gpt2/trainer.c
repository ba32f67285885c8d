/* Tangled from chapters/workshop/programs.nw, "Making and ending a run".  Edit it there. */

#include "gpt2/trainer.h"

#include "backend/backend.h"
#include "base/stop.h"
#include "dist/hub.h"
#include "gpt2/mean_loss.h"
#include "io/checkpoint.h"
#include "ops/adamw/adamw.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* reserve one micro-batch */
static bool reserve(struct Trainer *t, struct Error *e)
{
    size_t batch = (size_t)t->config.B * (size_t)t->config.T
                   * sizeof(int32_t);
    t->tokens = backend_host_alloc(batch, "a batch");
    t->targets = backend_host_alloc(batch, "a batch");
    t->loaded = -1;
    return model_ok(&t->model, e);
}


/* create and free a trainer */
bool trainer_create(struct Trainer *t, const struct TrainConfig *config,
                    const struct Config *model, const char *data,
                    const char *val, struct Error *e)
{
    memset(t, 0, sizeof *t);
    t->config = *config;
    /* open the text to train on and the text to judge by */
    struct LoaderConfig l = { .pattern = data, .T = config->T,
        .V = model->V, .shuffle = true, .seed = config->seed };
    const struct Dist *dist = config->share.dist;
    if (dist)
        l.rank = dist->rank, l.world = dist->world;
    if (!loader_open(&t->data, &l, e))
        return false;
    l.pattern = val;
    l.shuffle = false;
    l.rank = l.world = 0;
    if (val && !loader_open(&t->val, &l, e))
        return false;
    struct ModelOptions options = config->options;
    if (dist && config->share.shards)
        options.shards = dist->world;
    if (!model_create_as(&t->model, model, config->B, config->T, true,
                         &options, e))
        return false;
    if (optimizer_create(&t->optimizer, &t->model, &config->optimizer,
                         config->seed, e)
        && share_create(&t->share, &config->share, &t->model, e)
        && shards_create(&t->shards, &t->optimizer, &t->share, e)
        && reserve(t, e))
        return true;
    trainer_free(t);
    memset(t, 0, sizeof *t);
    backend_recover();
    return false;
}


void trainer_free(struct Trainer *t)
{
    loader_close(&t->data);
    loader_close(&t->val);
    if (t->model.backend) {
        struct Backend *before = backend_use(t->model.backend);
        backend_host_free(t->tokens);
        backend_host_free(t->targets);
        backend_use(before);
    }
    share_free(&t->share);
    shards_free(&t->shards);
    optimizer_free(&t->optimizer);
    model_free(&t->model);
}


/* load a micro-batch */
static void load(struct Trainer *t, int64_t first)
{
    if (t->loaded == first)
        return;
    backend_put_wait();
    loader_batch(&t->data, t->tokens, t->targets, (uint64_t)first,
                 t->config.B);
    t->loaded = first;
}


/* keep the loss of a gradient that is not added to */
static void keep_loss(struct Trainer *t, int k)
{
    if (!t->config.share.fixed)
        return;
    const double loss = model_train_loss(&t->model);
    t->loss = k > 0 ? t->loss + loss : loss;
}


/* accumulate the gradient of K micro-batches */
static void start_gradient(struct Trainer *t)
{
    const int B = t->config.B, T = t->config.T, K = t->config.accumulate;
    const int N = share_world(&t->share), mine = K / N;
    t->share.own_s = 0;
    for (int k = 0; k < mine; k++) {
        int64_t first = t->sequences + (int64_t)k * N * B;
        load(t, first);
        share_begin(&t->share, k + 1 == mine);
        model_train_start(&t->model, t->tokens, t->targets, B, T,
                          (real)1 / (real)K, share_adds(&t->share, k));
        share_end(&t->share, k, k + 1 == mine);
        keep_loss(t, k);
        load(t, first + (int64_t)N * B);
    }
}


/* refuse a step that is not finite */
static bool refuse_step(const struct Trainer *t, const struct StepReport *r,
                        struct Error *e)
{
    return error_set(e, "step %lld: the loss is %g and the gradient's "
                     "norm %g, at a learning rate of %g%s; the weights "
                     "were not changed by this step. The usual reason is "
                     "a rate too high: try a smaller --lr, a longer "
                     "--warmup, or --clip 1", (long long)t->step + 1,
                     r->loss, r->norm, r->lr, t->fault);
}


/* use the gradient */
static bool use_gradient(struct Trainer *t, struct StepReport *r,
                         struct Error *e)
{
    if (!model_ok(&t->model, e))
        return false;
    r->lr = schedule_lr(&t->config.schedule, t->step);
    if (!isfinite(r->loss) || !isfinite(r->norm))
        return refuse_step(t, r, e);
    optimizer_step(&t->optimizer, r->lr, r->norm, t->step + 1);
    if (!model_ok(&t->model, e))
        return false;
    t->step++;
    return true;
}


/* use a gradient from elsewhere */
bool trainer_update(struct Trainer *t, struct StepReport *r,
                    struct Error *e)
{
    const struct ModelUse u = model_use(&t->model);
    r->norm = sqrt(sum_squares(t->model.g.base, t->model.table.total));
    const bool good = use_gradient(t, r, e);
    model_unuse(&t->model, u);
    return good;
}


/* find what is not finite */
enum FaultKind { NO_FAULT, BAD_WEIGHT, BAD_GRADIENT };
struct Fault { int32_t kind, batch, row; };

static int bad_weight(struct Trainer *t)
{
    const struct ParamTable *p = &t->model.table;
    real *host = model_borrow(&t->model);
    int bad = -1;
    for (int i = 0; host && i < p->n && bad < 0; i++)
        for (size_t j = 0; j < p->row[i].size; j++)
            if (!isfinite(host[p->row[i].offset + j]))
                bad = i;
    model_return(&t->model, host, false);
    return bad;
}

static int bad_gradient(const struct Trainer *t)
{
    const struct ParamTable *p = &t->model.table;
    int i = p->n - 1;
    while (i >= 0 && isfinite(sum_squares(t->model.g.base
                                          + p->row[i].offset,
                                          p->row[i].size)))
        i--;
    return i;
}


static struct Fault own_fault(struct Trainer *t)
{
    const int B = t->config.B, K = t->config.accumulate;
    const int N = share_world(&t->share), weight = bad_weight(t);
    if (weight >= 0)
        return (struct Fault){ BAD_WEIGHT, 0, weight };
    t->model.ready = (struct GradientsReady){ NULL, NULL };
    for (int k = 0; k < K / N; k++) {
        load(t, t->sequences + (int64_t)k * N * B);
        model_train_start(&t->model, t->tokens, t->targets, B, t->config.T,
                          (real)1 / (real)K, false);
        model_train_loss(&t->model);
        const int row = bad_gradient(t);
        if (row >= 0)
            return (struct Fault){ BAD_GRADIENT, k, row };
    }
    return (struct Fault){ 0 };
}


static void describe_fault(struct Trainer *t, int rank, struct Fault f)
{
    if (f.kind == NO_FAULT)
        snprintf(t->fault, sizeof t->fault, "; computed again, the "
                 "gradients of all ranks are finite, so their sum is too "
                 "large, or a GPU or a link has made an error");
    else
        snprintf(t->fault, sizeof t->fault, "; rank %d has the first "
                 "number that is not finite, in %s%s", rank,
                 f.kind == BAD_WEIGHT ? "the weights " : "the gradient of ",
                 t->model.table.row[f.row].name);
}

static bool find_fault(struct Trainer *t, struct Error *e)
{
    struct Dist *d = t->config.share.dist;
    struct Fault all[GRAD_RANKS], mine = own_fault(t);
    int first = 0;
    if (!model_ok(&t->model, e)
        || !dist_exchange(d, all, &mine, sizeof mine, e))
        return false;
    while (first < d->world && all[first].kind == NO_FAULT)
        first++;
    const bool none = first == d->world;
    describe_fault(t, first, none ? (struct Fault){ 0 } : all[first]);
    if (d->hub)
        d->hub->quiet = d->rank != (none ? 0 : first);
    return true;
}


/* what ranks tell each other in a step */
struct Told { double loss, sumsq, own_s; int64_t stop; };


/* compare the times of ranks */
static int by_seconds(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void compare_times(struct RankTimes *r, const struct Told *all,
                          int world)
{
    double s[GRAD_RANKS];
    r->slowest = 0;
    for (int i = 0; i < world; i++) {
        s[i] = all[i].own_s;
        if (all[i].own_s > all[r->slowest].own_s)
            r->slowest = i;
    }
    qsort(s, (size_t)world, sizeof *s, by_seconds);
    r->least_s = s[0];
    r->median_s = s[(world - 1) / 2];
    r->most_s = s[world - 1];
}


/* measure a gradient that ranks share */
static bool exchange(struct Trainer *t, const struct Told *mine,
                     struct StepReport *r, struct Error *e)
{
    struct Dist *d = t->config.share.dist;
    struct Told all[GRAD_RANKS];
    if (!dist_exchange(d, all, mine, sizeof *mine, e))
        return false;
    double sumsq = 0;
    r->loss = 0;
    t->stop = false;
    for (int i = 0; i < d->world; i++) {
        r->loss += all[i].loss / t->config.accumulate;
        sumsq += all[i].sumsq;
        t->stop |= all[i].stop != 0;
    }
    r->norm = sqrt(t->shards.optimizer && !t->config.share.fixed
                   ? sumsq : mine->sumsq);
    if (t->share.look)
        compare_times(&r->ranks, all, d->world);
    return (isfinite(r->loss) && isfinite(r->norm)) || find_fault(t, e);
}


static bool measure_shared(struct Trainer *t, struct StepReport *r,
                           struct Error *e)
{
    struct Told mine = { .stop = stop_signal(),
                         .own_s = t->share.own_s };
    if (t->config.share.dist->hub)
        t->config.share.dist->hub->step = t->step + 1;
    if (!dist_wait(t->config.share.dist, e))
        return false;
    mine.loss = t->config.share.fixed ? t->loss
                                      : model_train_loss(&t->model);
    mine.sumsq = t->shards.optimizer && !t->config.share.fixed
               ? sum_squares(t->share.sum, t->share.own)
               : sum_squares(t->model.g.base, t->model.table.total);
    return exchange(t, &mine, r, e);
}


/* measure the gradient */
static bool measure_gradient(struct Trainer *t, struct StepReport *r,
                             struct Error *e)
{
    if (t->config.share.dist)
        return measure_shared(t, r, e);
    r->norm = sqrt(model_grad_sumsq(&t->model));
    r->loss = model_train_loss(&t->model) / t->config.accumulate;
    return true;
}


/* take one step */
bool trainer_step(struct Trainer *t, struct StepReport *r, struct Error *e)
{
    const struct ModelUse u = model_use(&t->model);
    r->ranks.slowest = -1;
    start_gradient(t);
    profile_range("norm");
    const bool good = measure_gradient(t, r, e) && use_gradient(t, r, e);
    if (good)
        t->sequences += (int64_t)t->config.accumulate * t->config.B;
    model_unuse(&t->model, u);
    return good;
}

/* measure the loss on text not trained on */
double trainer_validate(struct Trainer *t, int64_t batches)
{
    const int B = t->config.B, T = t->config.T;
    uint64_t rows = batches > 0 ? (uint64_t)batches * (uint64_t)B : 0;
    if (rows == 0 || rows > t->val.windows)
        rows = t->val.windows;
    t->loaded = -1;                     /* its batch is overwritten */
    return model_mean_loss(&t->model, &t->val, rows, B, T, t->tokens,
                           t->targets);
}


/* measure the entropy of single tokens */
double trainer_unigram(const struct Trainer *t)
{
    enum { MANY = 10000000 };
    static uint64_t count[65536];
    /* count the tokens of the first shards */
    uint64_t total = 0;
    memset(count, 0, sizeof count);
    for (size_t s = 0; s < t->data.shards && total < MANY; s++)
        for (size_t i = 0; i < t->data.shard[s].count; i++, total++)
            count[t->data.shard[s].token[i]]++;
    double entropy = 0;
    /* subtract p ln p of every token that occurs */
    for (int i = 0; i < 65536; i++)
        if (count[i])
            entropy -= (double)count[i] / (double)total
                       * log((double)count[i] / (double)total);
    return entropy;
}


/* save and resume */
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
    if (!model_ok(&t->model, e) || !shards_collect(&t->shards, e))
        return false;
    const bool good = share_rank(&t->share) > 0
        || checkpoint_save(out, t->step, &t->model, &t->optimizer, all,
                           n + 1, e);
    shards_drop(&t->shards);
    return good;
}


bool trainer_resume(struct Trainer *t, const char *path, struct Error *e)
{
    struct Field own = counter(t);
    return shards_expect(&t->shards, e)
        && checkpoint_load(path, &t->model, &t->optimizer, &own, 1,
                           &t->step, e)
        && shards_spread(&t->shards, e);
}
