/* Tangled from chapters/workshop/programs.nw, "The optimiser".  Edit it there. */

#include "gpt2/optimizer.h"

#include <stdlib.h>
#include "backend/backend.h"
#include "gpt2/shards.h"
#include "io/param_tensors.h"
#include "ops/adamw/adamw.h"

/* allocate the moments and list the tensors */
static struct AdamwSpan *list_spans(const struct Model *m)
{
    const bf16 *copy = model_copy_of(m, 0);
    struct AdamwSpan *span = calloc((size_t)m->table.n, sizeof *span);
    for (int i = 0; span && i < m->table.n; i++) {
        const struct Param *p = &m->table.row[i];
        const bf16 *at = model_copy_of(m, i);
        span[i] = (struct AdamwSpan){ .offset = p->offset,
            .size = p->size, .decays = p->decay,
            .offset16 = copy ? (size_t)(at - copy) : 0 };
    }
    return span;
}


static size_t moment_bytes(const struct ParamTable *t)
{
    return t->total * sizeof(real);
}

size_t optimizer_bytes(const struct ParamTable *t)
{
    return 2 * moment_bytes(t);
}

/* All of a moment, or a rank's part of it (gpt2/shards.h). */
static real *new_moment(const struct Model *m)
{
    const int shards = m->options.shards;
    const size_t bytes = shards ? share_part(&m->table, shards)
                       * sizeof(real) : moment_bytes(&m->table);
    real *moment = backend_alloc(bytes, "the optimiser");
    backend_zero(moment, bytes);
    return moment;
}


bool optimizer_create(struct Optimizer *o, struct Model *m,
                      const struct OptimizerConfig *config, uint64_t seed,
                      struct Error *e)
{
    *o = (struct Optimizer){ .config = *config, .seed = seed, .model = m };
    if (!model_ok(m, e))
        return false;
    const struct ModelUse u = model_use(m);
    o->m = new_moment(m);
    o->v = new_moment(m);
    o->span = list_spans(m);
    const bool good = model_ok(m, e)
        && (o->span || error_set(e, "no memory for a list of %d tensors",
                                 m->table.n));
    if (!good) {
        optimizer_free(o);
        backend_recover();
    }
    model_unuse(m, u);
    return good;
}

void optimizer_free(struct Optimizer *o)
{
    if (o->model) {
        const struct ModelUse u = model_use(o->model);
        backend_free(o->m);
        backend_free(o->v);
        model_unuse(o->model, u);
    }
    free(o->span);
    *o = (struct Optimizer){ 0 };
}


/* move the weights along a clipped gradient */
void optimizer_step(struct Optimizer *o, double lr, double norm,
                    int64_t step)
{
    const struct OptimizerConfig *c = &o->config;
    struct Model *m = o->model;
    /* s = this step, with the factor that clips */
    struct AdamwStep s = {
        .lr = lr, .beta1 = c->beta1, .beta2 = c->beta2, .eps = c->eps,
        .scale = c->clip > 0 && norm > c->clip ? c->clip / norm : 1,
        .decay = c->decay, .step = step, .seed = o->seed,
    };
    const struct ModelUse u = model_use(m);
    profile_range("adamw");
    if (o->shards)
        shards_step(o->shards, &s);
    else
        adamw_all(m->w.base, model_copy_of(m, 0), o->m, o->v, m->g.base,
                  o->span, m->table.n, &s);
    profile_range(NULL);
    model_unuse(m, u);
}


/* save and load the moments */
bool optimizer_save(const struct Optimizer *o, const char *path,
                    struct Error *e)
{
    const size_t bytes = moment_bytes(&o->model->table);
    const struct ModelUse u = model_use(o->model);
    const char *const prefix[] = { "m.", "v." };
    const bool here = !o->host_m;
    real *m = here ? backend_borrow(o->m, bytes) : o->host_m;
    real *v = here ? backend_borrow(o->v, bytes) : o->host_v;
    const real *const copy[] = { m, v };
    bool ok = model_ok(o->model, e)
           && param_tensors_write(path, &o->model->table, prefix, copy, 2,
                                  e);
    backend_return(NULL, here ? m : NULL, bytes, false);
    backend_return(NULL, here ? v : NULL, bytes, false);
    model_unuse(o->model, u);
    return ok;
}


bool optimizer_open(struct Safetensors *s, const char *path,
                    const struct ParamTable *t, struct Error *e)
{
    if (!safetensors_open(s, path, e)
        || !param_tensors_check(s, "m.", t, false, e)
        || !param_tensors_check(s, "v.", t, false, e))
        return false;
    return s->n == 2 * t->n
        || error_set(e, "%s: %d tensors, expected %d; the file is of "
                     "another model", path, s->n, 2 * t->n);
}

static bool read_moment(const struct Model *m, real *moment, real *host_m,
                        const struct Safetensors *s, const char *prefix,
                        struct Error *e)
{
    const size_t bytes = moment_bytes(&m->table);
    if (host_m)
        return param_tensors_read(s, prefix, &m->table, host_m, e);
    real *host = backend_borrow(moment, bytes);
    bool ok = host && param_tensors_read(s, prefix, &m->table, host, e);
    backend_return(moment, host, bytes, ok);
    return host ? ok && model_ok(m, e) : model_ok(m, e);
}

bool optimizer_read(struct Optimizer *o, const struct Safetensors *s,
                    struct Error *e)
{
    const struct ModelUse u = model_use(o->model);
    bool ok = read_moment(o->model, o->m, o->host_m, s, "m.", e)
           && read_moment(o->model, o->v, o->host_v, s, "v.", e);
    model_unuse(o->model, u);
    return ok;
}
