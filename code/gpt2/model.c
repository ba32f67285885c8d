/* Tangled from chapters/workshop/file-formats.nw, "The model's own plumbing".  Edit it there. */

#include "gpt2/model_calls.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* the calls of the precisions */
static const struct ModelCalls *const calls[] = {
    [FP32] = &model_fp32, [TF32] = &model_fp32,
#ifndef REAL_IS_DOUBLE
    [BF16] = &model_bf16,
#endif
};

/* make the model's backend the current one */
struct ModelUse model_use(const struct Model *m)
{
    struct ModelUse u = { .before = backend_use(m->backend),
                          .kernels = m->backend->kernels };
    m->backend->kernels = m->kernels;
    return u;
}

void model_unuse(const struct Model *m, struct ModelUse u)
{
    m->backend->kernels = u.kernels;
    backend_use(u.before);
}

/* refuse a batch that cannot be held */
static bool batch_check(const struct Config *c, int B, int T,
                        struct Error *e)
{
    if (B < 1 || T < 1)
        return error_set(e, "model: a batch of %d rows of %d tokens; both "
                         "must be at least 1", B, T);
    if (T > c->T)
        return error_set(e, "model: rows of %d tokens, but this model's "
                         "context is %d; use a --seq of at most %d", T,
                         c->T, c->T);
    double bytes = (double)B * T * (34.0 * c->C + c->NH + 8) * c->L
                 * (double)sizeof(real);
    if (B > INT_MAX / T || bytes > 1e15)
        return error_set(e, "model: a batch of %d rows of %d tokens needs "
                         "%.3g GB for its activations; use a smaller "
                         "--batch and --accumulate", B, T, bytes / 1e9);
    return true;
}

/* plan what both precisions have outside the layers */
void plan_ends(struct Model *m, size_t act, size_t stat, int Vp,
               const struct EndBuffers *to)
{
    const struct Config *c = &m->config;
    const int ln_f = fwd(c->L, LN_1), z = classifier_step(c);
    const int back = m->training ? bwd(c, c->L, LN_1) : ln_f;
    const size_t N = (size_t)m->B * (size_t)m->T, C = (size_t)c->C;
    struct Plan *p = &m->plan;
    plan_add_sized(p, "x_f", N, C, act, fwd(c->L, BEFORE), back, to->x);
    plan_add_sized(p, "ln_f", N, C, act, ln_f, m->training ? back : z,
                   to->ln_f);
    plan_add_sized(p, "mean_f", N, 1, stat, ln_f, back, to->mean_f);
    plan_add_sized(p, "rstd_f", N, 1, stat, ln_f, back, to->rstd_f);
    plan_add_sized(p, "logits", (size_t)m->chunk, (size_t)Vp, act, z, z,
                   to->logits);
}

void plan_dx(struct Model *m, size_t act, void *dx)
{
    const struct Config *c = &m->config;
    if (m->training)
        plan_add_sized(&m->plan, "dx", (size_t)m->B * (size_t)m->T,
                       (size_t)c->C, act, bwd(c, c->L, LN_1),
                       2 * classifier_step(c), dx);
}

/* create and free a model */
bool model_describe(struct Model *m, const struct Config *c, int B, int T,
                    bool training, const struct ModelOptions *o,
                    struct Error *e)
{
    struct Backend *b = backend_current();
    *m = (struct Model){ .config = *c, .B = B, .T = T,
                         .training = training, .options = *o,
                         .backend = b, .calls = calls[o->precision],
                         .kernels = o->chosen ? o->kernels : b->kernels };
    if (!config_check(c, e) || !batch_check(c, B, T, e))
        return false;
    return (params_table(&m->table, c) && m->calls->plan(m)
            && plan_layout(&m->plan, true))
        || error_set(e, "no memory for the tables of a model of %d layers",
                     c->L);
}

void model_forget(struct Model *m)
{
    if (m->calls)
        m->calls->forget(m);
    params_free(&m->table);
    plan_free(&m->plan);
    *m = (struct Model){ 0 };
}

/* Are there fp32 weights here?  In bf16 other ranks may have parts. */
static bool has_weights(const struct Model *m)
{
    return !m->options.no_master
        && (!m->options.shards || m->options.precision != BF16);
}

static bool new_weights(struct Weights *w, const struct Model *m,
                        const char *what)
{
    const struct ParamTable *t = &m->table;
    const size_t bytes = (t->total + RANKS_ROOM) * sizeof(real);
    real *base = backend_alloc(bytes, what);
    if (!base)
        return false;
    if (!weights_bind(w, t, &m->config, base))
        backend_failed("no memory for the list of %d layers", m->config.L);
    backend_zero(base, bytes);
    return backend_ok(NULL);
}

static bool reserve(struct Model *m)
{
    const size_t batch = (size_t)m->B * (size_t)m->T * sizeof *m->tokens;
    if (!m->calls->create(m)
        || (has_weights(m) && !new_weights(&m->w, m, "the weights"))
        || (m->training && !new_weights(&m->g, m, "the gradients")))
        return false;
    m->acts_memory = backend_alloc(m->plan.total_bytes, "the activations");
    m->tokens = backend_alloc(batch, "the tokens");
    m->targets = backend_alloc(batch, "the targets");
    if (!m->targets)
        return false;
    plan_bind(&m->plan, m->acts_memory);
    m->calls->bound(m);
    return true;
}

static void give_back(struct Model *m)
{
    m->calls->free(m);
    backend_free(m->w.base);
    backend_free(m->g.base);
    backend_free(m->acts_memory);
    backend_free(m->tokens);
    backend_free(m->targets);
    weights_unbind(&m->w);
    weights_unbind(&m->g);
}

static const struct ModelOptions plain;         /* fp32, all kept */

bool model_create_as(struct Model *m, const struct Config *config, int B,
                     int T, bool training, const struct ModelOptions *o,
                     struct Error *e)
{
    bool good = model_describe(m, config, B, T, training, o, e)
             && m->calls->check(m, e) && model_ok(m, e);
    if (good) {
        const struct ModelUse u = model_use(m);
        good = reserve(m);
        if (!good) {
            backend_ok(e);
            give_back(m);
            backend_recover();
        }
        model_unuse(m, u);
    }
    if (!good)
        model_forget(m);
    return good;
}

bool model_create(struct Model *m, const struct Config *config, int B,
                  int T, bool training, struct Error *e)
{
    return model_create_as(m, config, B, T, training, &plain, e);
}

void model_free(struct Model *m)
{
    if (m->backend) {
        const struct ModelUse u = model_use(m);
        give_back(m);
        model_unuse(m, u);
    }
    model_forget(m);
}

bool model_ok(const struct Model *m, struct Error *e)
{
    const struct Backend *b = m->backend;
    return !b->failed || error_set(e, "%s", b->failure);
}

void model_init(struct Model *m, uint64_t seed)
{
    real *host = model_borrow(m);
    if (host)
        params_init(host, &m->table, &m->config, seed);
    model_return(m, host, true);
}

static real *copy_to_host(const struct Model *m)
{
    real *host = calloc(m->table.total, sizeof *host);
    if (!host)
        backend_failed("no memory for a copy of %zu weights",
                       m->table.total);
    else
        m->calls->get(m, host);
    if (backend_ok(NULL))
        return host;
    free(host);
    return NULL;
}

real *model_borrow(const struct Model *m)
{
    const size_t bytes = m->table.total * sizeof(real);
    const struct ModelUse u = model_use(m);
    real *host = m->masters ? m->masters : m->w.base
               ? backend_borrow(m->w.base, bytes) : copy_to_host(m);
    model_unuse(m, u);
    return host;
}

void model_return(struct Model *m, real *host, bool changed)
{
    if (!host)
        return;
    const struct ModelUse u = model_use(m);
    if (changed)
        m->calls->put(m, host);
    m->changed |= changed;
    if (m->w.base)
        backend_return(m->w.base, host, m->table.total * sizeof(real),
                       changed);
    else if (host != m->masters)
        free(host);
    model_unuse(m, u);
}

/* call the functions of the precision */
/* x, or NaN if anything has failed. */
static double if_ok(const struct Model *m, double x)
{
    return model_ok(m, NULL) ? x : NAN;
}

double model_loss(struct Model *m, const int32_t *tokens,
                  const int32_t *targets, int B, int T)
{
    if (!model_ok(m, NULL))
        return NAN;
    const struct ModelUse u = model_use(m);
    const double loss = m->calls->loss(m, tokens, targets, B, T);
    model_unuse(m, u);
    return if_ok(m, loss);
}

void model_train_start(struct Model *m, const int32_t *tokens,
                       const int32_t *targets, int B, int T, real scale,
                       bool accumulate)
{
    assert(m->training);
    if (!model_ok(m, NULL))
        return;
    const struct ModelUse u = model_use(m);
    m->calls->train(m, tokens, targets, B, T, scale, accumulate);
    model_unuse(m, u);
}

double model_train_loss(struct Model *m)
{
    if (!model_ok(m, NULL))
        return NAN;
    const struct ModelUse u = model_use(m);
    const double loss = m->calls->train_loss(m);
    model_unuse(m, u);
    return if_ok(m, loss);
}

double model_forward_backward(struct Model *m, const int32_t *tokens,
                              const int32_t *targets, int B, int T,
                              real scale, bool accumulate)
{
    model_train_start(m, tokens, targets, B, T, scale, accumulate);
    model_train_loss(m);
    return if_ok(m, m->batch_loss);
}

double model_grad_sumsq(struct Model *m)
{
    if (!model_ok(m, NULL))
        return NAN;
    const struct ModelUse u = model_use(m);
    const double sum = m->calls->grad_sumsq(m);
    model_unuse(m, u);
    return if_ok(m, sum);
}

void model_logits(struct Model *m, real *logits, const int32_t *tokens,
                  int B, int T)
{
    const struct ModelUse u = model_use(m);
    if (model_ok(m, NULL))
        m->calls->logits(m, logits, tokens, B, T);
    model_unuse(m, u);
    const size_t n = (size_t)B * (size_t)m->config.V;
    for (size_t i = 0; i < n && !model_ok(m, NULL); i++)
        logits[i] = NAN;
}

bf16 *model_copy_of(const struct Model *m, int i)
{
    return m->calls->copy_of(m, i);
}
