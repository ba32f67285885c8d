/* Tangled from chapters/workshop/gpu-model.nw, "The rest of the plan".  Edit it there. */

#include "gpt2/model_bf16.h"

#include <stdio.h>
#include <stdlib.h>

/* find the step whose kernel applies GELU */
/* The step whose kernel does the work of step s, forward and backward. */
static int fused_fwd(int s)
{
    return s == GELU ? FC : s;
}

static int fused_bwd(int s)
{
    return s == GELU ? FC_PROJ : s;
}

/* plan one bf16 layer */
struct PlanRow { const char *field; size_t columns, bytes; };

/* A buffer of layer l in its first live range, and if it is made again for
 * the backward pass, in its second. */
static void plan_act(struct Model *m, struct PlanRow r, int l, int written,
                     int reader, int needed, int redo, void *first,
                     void *again)
{
    const struct Config *c = &m->config;
    const size_t N = (size_t)m->B * (size_t)m->T;
    const int mode = m->options.recompute, end = bwd(c, l, needed);
    const bool redone = m->training && redo <= mode;
    const bool kept = m->training && !redone;
    char name[40];
    snprintf(name, sizeof name, "h.%d.%s", l, r.field);
    plan_add_sized(&m->plan, name, N, r.columns, r.bytes, fwd(l, written),
                   kept ? end : fwd(l, reader), first)->layer = l;
    /* plan a second live range for what is computed again */
    if (!redone)
        return;
    snprintf(name, sizeof name, "h.%d.%s again", l, r.field);
    plan_add_sized(&m->plan, name, N, r.columns, r.bytes,
                   mode == REDO_BLOCK ? bwd(c, l, FC_PROJ) : end, end,
                   again)->layer = l;
}

#define BF16_PLAN_ACT(field, kind, columns, written, reader, needed,     \
                      redo)                                              \
    plan_act(m, (struct PlanRow){ #field, (size_t)(columns),             \
                                  sizeof(TYPE_##kind) },                 \
             l, fused_fwd(written), reader, fused_bwd(needed), redo,     \
             &x->h[l].field, &x->again[l].field);
#define BF16_PLAN_GRAD(field, kind, columns, written, reader)            \
    snprintf(name, sizeof name, "h.%d." #field, l);                      \
    plan_add_sized(&m->plan, name, N, (size_t)(columns),                 \
                   sizeof(TYPE_##kind), bwd(c, l, written),              \
                   bwd(c, l, reader), &x->h[l].field)->layer = l;

static void plan_layer_bf16(struct Model *m, int l)
{
    const struct Config *c = &m->config;
    const size_t N = (size_t)m->B * (size_t)m->T;
    const int C = c->C, NH = c->NH;
    struct Bf16Model *x = m->bf16;
    char name[40];
    ACTS_LAYER(BF16_PLAN_ACT)
    if (m->training) {
        GRADS_LAYER(BF16_PLAN_GRAD)
    }
}

/* plan what lies outside the bf16 layers */
static void plan_ends_bf16(struct Model *m)
{
    const int z = classifier_step(&m->config), L = m->config.L;
    const size_t N = (size_t)m->B * (size_t)m->T;
    struct Plan *p = &m->plan;
    struct Bf16Model *x = m->bf16;
    const struct EndBuffers to = { &x->h[L].x, &x->ln_f, &x->mean_f,
                                   &x->rstd_f, &x->logits };
    plan_ends(m, sizeof(bf16), sizeof(float), x->Vp, &to);
    plan_add_sized(p, "losses", N, 1, sizeof(float), z, z, &x->losses);
    plan_add_sized(p, "last", (size_t)m->B, (size_t)x->Vp, sizeof(float),
                   z, z, &x->last);
    plan_dx(m, sizeof(bf16), &x->dx);
}

/* choose the rows of a chunk of logits */
#define LOGITS_BYTES 8e9            /* of a chunk, at most */
#define LOSS_ROWS 8192              /* of one, if only a loss is wanted */

/* The whole batch if it fits, else equal parts; never by what happens to
 * be free, because the parts decide the order of sums. */
static int logit_rows(const struct Model *m)
{
    const int N = m->B * m->T;
    const double row = 2.0 * m->bf16->Vp;
    int rows = m->options.rows ? m->options.rows : N, parts = 1;
    if (!m->training && rows > LOSS_ROWS)
        rows = LOSS_ROWS;
    while (rows * row > LOGITS_BYTES) {
        parts++;
        rows = (N + parts - 1) / parts;
    }
    return rows < N ? rows : N;
}

/* plan the bf16 model */
bool bf16_plan(struct Model *m)
{
    const struct Config *c = &m->config;
    struct Bf16Model *x = m->bf16 = calloc(1, sizeof *x);
    if (!x)
        return false;
    x->h = calloc((size_t)c->L + 1, sizeof *x->h);
    x->again = calloc((size_t)c->L, sizeof *x->again);
    if (!x->h || !x->again)
        return false;
    x->Vp = whole_tiles(c->V);
    x->total = bf16_offset(m, m->table.n - 1)
             + ((size_t)c->C + 15) / 16 * 16;
    m->chunk = logit_rows(m);
    for (int l = 0; l < c->L; l++)
        plan_layer_bf16(m, l);
    plan_ends_bf16(m);
    return true;
}

void bf16_forget(struct Model *m)
{
    if (!m->bf16)
        return;
    free(m->bf16->h);
    free(m->bf16->again);
    free(m->bf16->w.h);
    free(m->bf16);
    m->bf16 = NULL;
}

/* bind the bf16 weights */
size_t bf16_offset(const struct Model *m, int i)
{
    const size_t C = (size_t)m->config.C, line = 16;
    const size_t more = (size_t)m->bf16->Vp * C - m->table.row[0].size;
    const size_t at = m->table.row[i].offset;
    return i == 0 ? 0 : at + (more + line - 1) / line * line;
}

#define BIND_BF16(field, ...) w->field = base + bf16_offset(m, i++);
#define BIND_BF16_LAYER(field, ...) \
    w->h[l].field = base + bf16_offset(m, i++);

bool bf16_bind(struct Model *m, bf16 *base)
{
    struct Bf16Model *x = m->bf16;
    struct Bf16Weights *w = &x->w;
    int i = 0;
    w->base = base;
    w->h = calloc((size_t)m->config.L, sizeof *w->h);
    if (!w->h)
        return false;
    PARAMS_FIRST(BIND_BF16)
    for (int l = 0; l < m->config.L; l++) {
        PARAMS_LAYER(BIND_BF16_LAYER)
    }
    PARAMS_LAST(BIND_BF16)
    return true;
}

#define KEEP(field, ...)                                                \
    if (!x->again[l].field) x->again[l].field = x->h[l].field;

void bf16_keep(struct Model *m)
{
    struct Bf16Model *x = m->bf16;
    for (int l = 0; l < m->config.L; l++) {
        ACTS_LAYER(KEEP)
    }
}
