/* Tangled from chapters/workshop/gpu-model.nw, "The rest of the plan".  Edit it there. */

#include "gpt2/mixed_plan.h"

#include <stdlib.h>
#include "base/alloc.h"

/* how many rows of logits exist at a time */
#define CHUNK 256           /* rows of logits that exist at one time */
#define BIG_CHUNK 8192      /* ... where a library multiplies them */

/* the calendar of a step */
/* Step 0 is the embedding; layer l runs its operator s at fwd(l, s); the
 * last LayerNorm is operator 0 of a layer L that has no other; then the
 * classifier.  The backward pass is the mirror image. */
static int fwd(int l, int s)
{
    return 1 + LAYER_STEPS * l + s;
}


static int classifier_step(const struct Config *c)
{
    return fwd(c->L, LN_1) + 1;
}

static int bwd(const struct Config *c, int l, int s)
{
    return 2 * classifier_step(c) - fwd(l, s);
}

/* plan one bf16 layer */
struct Row16 { const char *field; size_t columns, bytes; };

/* A buffer of layer l in its first life, and if it is made again for the
 * backward pass, in its second. */
static void plan_act(struct Model *m, struct Row16 r, int l, int written,
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
                   kept ? end : fwd(l, reader), first);
    /* give what is computed again a second life */
    if (!redone)
        return;
    snprintf(name, sizeof name, "h.%d.%s again", l, r.field);
    plan_add_sized(&m->plan, name, N, r.columns, r.bytes,
                   mode == REDO_BLOCK ? bwd(c, l, FC_PROJ) : end, end,
                   again);
}

#define PLAN_ACT16(field, type, columns, written, reader, needed, redo)   \
    plan_act(m,                                                           \
             (struct Row16){ #field, (size_t)(columns), sizeof(type) },   \
             l, written, reader, needed, redo, &x->h[l].field,            \
             &x->again[l].field);
#define PLAN_GRAD16(field, type, columns, written, reader)                \
    snprintf(name, sizeof name, "h.%d." #field, l);                       \
    plan_add_sized(&m->plan, name, N, (size_t)(columns), sizeof(type),    \
                   bwd(c, l, written), bwd(c, l, reader),                 \
                   &x->h[l].field);

static void plan_layer16(struct Model *m, int l)
{
    const struct Config *c = &m->config;
    const size_t N = (size_t)m->B * (size_t)m->T;
    const int C = c->C, NH = c->NH;
    struct Mixed *x = m->mixed;
    char name[40];
    ACTS16_LAYER(PLAN_ACT16)
    if (m->training) {
        GRADS16_LAYER(PLAN_GRAD16)
    }
}

/* plan what lies outside the bf16 layers */
static void plan_ends16(struct Model *m)
{
    const struct Config *c = &m->config;
    const int ln_f = fwd(c->L, LN_1), z = classifier_step(c);
    const int back = m->training ? bwd(c, c->L, LN_1) : ln_f;
    const size_t N = (size_t)m->B * (size_t)m->T, C = (size_t)c->C;
    const size_t Vp = (size_t)m->mixed->Vp, h = sizeof(bf16);
    struct Plan *p = &m->plan;
    struct Mixed *x = m->mixed;
    plan_add_sized(p, "x_f", N, C, h, fwd(c->L, BEFORE), back,
                   &x->h[c->L].x);
    plan_add_sized(p, "ln_f", N, C, h, ln_f, m->training ? back : z,
                   &x->ln_f);
    plan_add_sized(p, "mean_f", N, 1, 4, ln_f, back, &x->mean_f);
    plan_add_sized(p, "rstd_f", N, 1, 4, ln_f, back, &x->rstd_f);
    plan_add_sized(p, "logits", (size_t)m->chunk, Vp, h, z, z, &x->logits);
    plan_add_sized(p, "losses", N, 1, 4, z, z, &x->losses);
    plan_add_sized(p, "last", (size_t)m->B, Vp, 4, z, z, &x->last);
    if (m->training)
        plan_add_sized(p, "dx", N, C, h, back, 2 * z, &x->dx);
}

/* choose the rows of a chunk of logits */
#define LOGITS_BYTES 8e9            /* of a chunk, at most */
#define LOSS_ROWS 8192              /* of one, if only a loss is wanted */

/* The whole batch if it fits, else equal parts; never by what happens to
 * be free, because the parts decide the order of sums. */
static int logit_rows(const struct Model *m)
{
    const int N = m->B * m->T;
    const double row = 2.0 * m->mixed->Vp;
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
enum { VOCAB_TILE = 128 };

void mixed_plan(struct Model *m)
{
    const struct Config *c = &m->config;
    struct Mixed *x = m->mixed = xcalloc(1, sizeof *x);
    x->h = xcalloc((size_t)c->L + 1, sizeof *x->h);
    x->again = xcalloc((size_t)c->L, sizeof *x->again);
    x->Vp = (c->V + VOCAB_TILE - 1) / VOCAB_TILE * VOCAB_TILE;
    x->total = mixed_offset(m, m->table.n - 1)
             + ((size_t)c->C + 15) / 16 * 16;
    m->chunk = logit_rows(m);
    for (int l = 0; l < c->L; l++)
        plan_layer16(m, l);
    plan_ends16(m);
}

void mixed_plan_free(struct Model *m)
{
    if (!m->mixed)
        return;
    free(m->mixed->h);
    free(m->mixed->again);
    free(m->mixed->w.h);
    free(m->mixed);
    m->mixed = NULL;
}

/* bind the bf16 weights */
size_t mixed_offset(const struct Model *m, int i)
{
    const size_t C = (size_t)m->config.C, line = 16;
    const size_t more = (size_t)m->mixed->Vp * C - m->table.row[0].size;
    const size_t at = m->table.row[i].offset;
    return i == 0 ? 0 : at + (more + line - 1) / line * line;
}

#define BIND16_MODEL(field, ...) w->field = base + mixed_offset(m, i++);
#define BIND16_LAYER(field, ...) \
    w->h[l].field = base + mixed_offset(m, i++);

void mixed_bind(struct Model *m, bf16 *base)
{
    struct Mixed *x = m->mixed;
    struct Weights16 *w = &x->w;
    int i = 0;
    w->base = base;
    w->h = xcalloc((size_t)m->config.L, sizeof *w->h);
    PARAMS_FIRST(BIND16_MODEL)
    for (int l = 0; l < m->config.L; l++) {
        PARAMS_LAYER(BIND16_LAYER)
    }
    PARAMS_LAST(BIND16_MODEL)
}

#define KEEP16(field, ...)                                                \
    if (!x->again[l].field) x->again[l].field = x->h[l].field;

void mixed_keep(struct Model *m)
{
    struct Mixed *x = m->mixed;
    for (int l = 0; l < m->config.L; l++) {
        ACTS16_LAYER(KEEP16)
    }
}
