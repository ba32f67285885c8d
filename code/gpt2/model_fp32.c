/* Tangled from chapters/workshop/file-formats.nw, "The model's own plumbing".  Edit it there. */

#include "gpt2/model_calls.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include "ops/operators.h"

/* set how many rows of logits exist at a time */
#define CHUNK 256           /* rows of logits that exist at one time */
#define BIG_CHUNK 8192      /* ... where a library multiplies them */

/* plan the activations */
#define PLAN_ACT(field, kind, columns, written, reader, needed, redo) \
    plan_layer(m, #field, l, columns, fwd(l, written),                \
               m->training ? bwd(c, l, needed) : fwd(l, reader),      \
               &m->acts.h[l].field);
#define PLAN_GRAD(field, kind, columns, written, reader)              \
    plan_layer(m, #field, l, columns, bwd(c, l, written),             \
               bwd(c, l, reader), &m->acts.h[l].field);


static void plan_layer(struct Model *m, const char *field, int l,
                       int columns, int from, int to, real **where)
{
    char name[40];
    snprintf(name, sizeof name, "h.%d.%s", l, field);
    plan_add(&m->plan, name, (size_t)m->B * (size_t)m->T, (size_t)columns,
             from, to, where)->layer = l;
}


static void plan_layers(struct Model *m)
{
    const struct Config *c = &m->config;
    const int C = c->C, NH = c->NH;
    for (int l = 0; l < c->L; l++) {
        ACTS_LAYER(PLAN_ACT)
        if (m->training) {
            GRADS_LAYER(PLAN_GRAD)
        }
    }
}

/* plan what lies outside the layers */
static void plan_ends_fp32(struct Model *m)
{
    const int z = classifier_step(&m->config), L = m->config.L;
    const size_t rows = (size_t)m->chunk;
    struct Acts *a = &m->acts;
    const struct EndBuffers to = { &a->h[L].x, &a->ln_f, &a->mean_f,
                                   &a->rstd_f, &a->logits };
    plan_ends(m, sizeof(real), sizeof(real), m->Vp, &to);
    plan_add(&m->plan, "lse", rows, 1, z, z, &a->lse);
    plan_add(&m->plan, "losses", rows, 1, z, z, &a->losses);
    plan_dx(m, sizeof(real), &a->dx);
}

/* how many rows and columns of logits */
/* A library's products have an order of their own, and are at their best
 * when they are large. */
static bool by_library(const struct Model *m)
{
    return m->backend->calls->kind == BACKEND_CUDA
        && m->kernels.gemm != GEMM_TILES;
}

static int rows_of_logits(const struct Model *m)
{
    const int N = m->B * m->T, asked = m->options.rows;
    const int rows = asked ? asked : by_library(m) ? BIG_CHUNK : CHUNK;
    return rows < N ? rows : N;
}

/* The columns of logits: V, or V rounded up to a multiple of 128 if a
 * library multiplies and wpe has enough rows.  The extra rows of wte are
 * then the first rows of wpe, which follows it in memory: their logits are
 * ignored, and zeros are added to their gradients. */
static int columns_of_logits(const struct Model *m)
{
    const struct Config *c = &m->config;
    const int Vp = whole_tiles(c->V);
    return by_library(m) && Vp - c->V <= c->T ? Vp : c->V;
}

static bool fp32_check(const struct Model *m, struct Error *e)
{
    (void)m, (void)e;
    return true;
}

static bool fp32_plan(struct Model *m)
{
    m->chunk = rows_of_logits(m);
    m->Vp = columns_of_logits(m);
    m->acts.h = calloc((size_t)m->config.L + 1, sizeof *m->acts.h);
    if (!m->acts.h)
        return false;
    plan_layers(m);
    plan_ends_fp32(m);
    return true;
}

static void fp32_forget(struct Model *m)
{
    free(m->acts.h);
}

/* run the layers forward */
static void layer_fwd(struct Model *m, int l, int B, int T)
{
    const struct LayerWeights *w = &m->w.h[l];
    struct LayerActs *a = &m->acts.h[l], *next = a + 1;
    const int N = B * T, C = m->config.C, NH = m->config.NH;
    const size_t n = (size_t)N * (size_t)C;
    /* run the first half of layer l */
    layernorm_fwd(a->ln_1, a->mean_1, a->rstd_1, a->x, w->ln_1_w,
                  w->ln_1_b, N, C);
    linear_fwd(a->qkv, a->ln_1, w->qkv_w, w->qkv_b, N, C, 3 * C);
    attention_fwd(a->att, a->lse, a->qkv, B, T, C, NH);
    linear_fwd(a->mid, a->att, w->proj_w, w->proj_b, N, C, C);
    residual_fwd(a->mid, a->mid, a->x, n);
    /* run the second half of layer l */
    layernorm_fwd(a->ln_2, a->mean_2, a->rstd_2, a->mid, w->ln_2_w,
                  w->ln_2_b, N, C);
    linear_fwd(a->fc, a->ln_2, w->fc_w, w->fc_b, N, C, 4 * C);
    gelu_fwd(a->gelu, a->fc, 4 * n);
    linear_fwd(next->x, a->gelu, w->mlp_w, w->mlp_b, N, 4 * C, C);
    residual_fwd(next->x, next->x, a->mid, n);
}

/* Up to the residual stream after the last layer. */
static void stream_fwd(struct Model *m, const int32_t *tokens, int B, int T)
{
    assert(B >= 1 && B <= m->B && T >= 1 && T <= m->T);
    for (int i = 0; i < B * T; i++)
        assert(tokens[i] >= 0 && tokens[i] < m->config.V);
    backend_put(m->tokens, tokens, (size_t)(B * T) * sizeof *tokens);
    embedding_fwd(m->acts.h[0].x, m->tokens, m->w.wte, m->w.wpe, B, T,
                  m->config.C);
    for (int l = 0; l < m->config.L; l++)
        layer_fwd(m, l, B, T);
}


static void ln_f_fwd(struct Model *m, const real *x, int N)
{
    struct Acts *a = &m->acts;
    layernorm_fwd(a->ln_f, a->mean_f, a->rstd_f, x, m->w.ln_f_w,
                  m->w.ln_f_b, N, m->config.C);
}

/* the loss of rows of logits */
static void rows_loss(struct Model *m, const int32_t *targets, int rows)
{
    struct Acts *a = &m->acts;
    crossentropy_fwd(a->losses, a->lse, a->logits, targets, rows,
                     m->config.V, m->Vp);
}

static void rows_loss_bwd(struct Model *m, const int32_t *targets,
                          real scale, int rows)
{
    struct Acts *a = &m->acts;
    crossentropy_bwd(a->logits, a->logits, a->lse, targets, scale, rows,
                     m->config.V, m->Vp);
}

/* run the classifier on a chunk of rows */
/* logits and losses of `rows` rows; the sum of the losses */
static double chunk_fwd(struct Model *m, const real *h,
                        const int32_t *targets, int rows)
{
    struct Acts *a = &m->acts;
    gemm(a->logits, h, m->w.wte, rows, m->Vp, m->config.C, GEMM_TB);
    rows_loss(m, targets, rows);
    /* sum = the losses of these rows */
    const size_t bytes = (size_t)rows * sizeof(real);
    real *losses = backend_borrow(a->losses, bytes);
    double sum = 0;
    for (int i = 0; losses && i < rows; i++)
        sum += (double)losses[i];
    backend_return(a->losses, losses, bytes, false);
    return sum;
}

/* logits become dlogits, h becomes dh, dwte is written or added to */
static void chunk_bwd(struct Model *m, real *h, const int32_t *targets,
                      int rows, real scale, bool add, double *sumsq)
{
    struct Acts *a = &m->acts;
    const int Vp = m->Vp, C = m->config.C;
    rows_loss_bwd(m, targets, scale, rows);
    gemm_sumsq(m->g.wte, a->logits, h, Vp, C, rows,
               GEMM_TA | GEMM_NONTEMPORAL | (add ? GEMM_ADD : 0), sumsq);
    gemm(h, a->logits, m->w.wte, rows, C, Vp, 0);
}

/* sum the squares of the gradient on the way */
static double *sumsq_here(struct Model *m)
{
    return backend_kind() == BACKEND_CPU ? &m->sumsq : NULL;
}


/* What only ever adds to its gradient: LayerNorms and wpe. */
static void clear_added(struct Model *m)
{
    for (int i = 0; i < m->table.n; i++) {
        const struct Param *p = &m->table.row[i];
        real *g = m->g.base + p->offset;
        if (p->init == INIT_ONE || strstr(p->name, "ln_")
            || g == m->g.wpe)
            backend_zero(g, p->size * sizeof(real));
    }
}

/* Of the rows of the gradient of wte to which tokens add, each once. */
static double sumsq_of_rows(const struct Model *m, int N)
{
    const size_t C = (size_t)m->config.C;
    bool *seen = calloc((size_t)m->config.V, sizeof *seen);
    double sum = 0;
    if (!seen) {
        backend_failed("no memory to mark %d tokens", m->config.V);
        return NAN;
    }
    for (int i = 0; i < N; i++) {
        const int32_t token = m->tokens[i];
        if (!seen[token])
            sum += sum_squares(m->g.wte + (size_t)token * C, C);
        seen[token] = true;
    }
    free(seen);
    return sum;
}

static double fp32_grad_sumsq(struct Model *m)
{
    if (!sumsq_here(m))
        return sum_squares(m->g.base, m->table.total);
    double sum = m->sumsq;
    for (int i = 0; i < m->table.n; i++) {
        const struct Param *p = &m->table.row[i];
        const real *g = m->g.base + p->offset;
        if (p->rows == 0 || g == m->g.wpe)
            sum += sum_squares(g, p->size);
    }
    return sum;
}

/* run the layers backward */
static void layer_bwd(struct Model *m, int l, int B, int T, bool add)
{
    const struct LayerWeights *w = &m->w.h[l];
    struct LayerWeights *g = &m->g.h[l];
    struct LayerActs *a = &m->acts.h[l];
    real *dx = m->acts.dx;
    double *sumsq = sumsq_here(m);
    const int N = B * T, C = m->config.C, NH = m->config.NH;
    /* differentiate the second half of layer l */
    linear_bwd(a->dfc, g->mlp_w, g->mlp_b, dx, a->gelu, w->mlp_w, N,
               4 * C, C, add, sumsq);
    gelu_bwd(a->dfc, a->dfc, a->fc, (size_t)N * 4 * (size_t)C);
    linear_bwd(a->dln_2, g->fc_w, g->fc_b, a->dfc, a->ln_2, w->fc_w, N,
               C, 4 * C, add, sumsq);
    layernorm_bwd(dx, g->ln_2_w, g->ln_2_b, a->dln_2, a->mid, a->mean_2,
                  a->rstd_2, w->ln_2_w, N, C);
    /* differentiate the first half of layer l */
    linear_bwd(a->datt, g->proj_w, g->proj_b, dx, a->att, w->proj_w, N, C,
               C, add, sumsq);
    attention_bwd(a->dqkv, a->datt, a->qkv, a->att, a->lse, B, T, C, NH);
    linear_bwd(a->dln_1, g->qkv_w, g->qkv_b, a->dqkv, a->ln_1, w->qkv_w,
               N, C, 3 * C, add, sumsq);
    layernorm_bwd(dx, g->ln_1_w, g->ln_1_b, a->dln_1, a->x, a->mean_1,
                  a->rstd_1, w->ln_1_w, N, C);
}

static void stream_bwd(struct Model *m, int B, int T, bool add)
{
    struct Acts *a = &m->acts;
    const struct Config *c = &m->config;
    const int N = B * T;
    backend_zero(a->dx, (size_t)N * (size_t)c->C * sizeof(real));
    layernorm_bwd(a->dx, m->g.ln_f_w, m->g.ln_f_b, a->ln_f, a->h[c->L].x,
                  a->mean_f, a->rstd_f, m->w.ln_f_w, N, c->C);
    for (int l = c->L - 1; l >= 0; l--) {
        layer_bwd(m, l, B, T, add);
        gradients_final(m, m->g.h[l].ln_1_w);
    }
    /* add the embedding's part to the token vectors' gradient */
    double *sumsq = sumsq_here(m);
    if (sumsq)
        *sumsq -= sumsq_of_rows(m, N);
    embedding_bwd(m->g.wte, m->g.wpe, a->dx, m->tokens, B, T, c->C);
    if (sumsq)
        *sumsq += sumsq_of_rows(m, N);
    gradients_final(m, m->g.base);
}

/* the loss of a batch */
static double fp32_loss(struct Model *m, const int32_t *tokens,
                        const int32_t *targets, int B, int T)
{
    const int N = B * T;
    stream_fwd(m, tokens, B, T);
    ln_f_fwd(m, m->acts.h[m->config.L].x, N);
    backend_put(m->targets, targets, (size_t)N * sizeof *targets);
    double sum = 0;
    for (int n = 0; n < N; n += m->chunk)
        sum += chunk_fwd(m, m->acts.ln_f + (size_t)n * (size_t)m->config.C,
                         m->targets + n, chunk_rows(m, n, N));
    return sum / N;
}

/* compute the loss and all gradients */
static double forward_backward(struct Model *m, const int32_t *tokens,
                               const int32_t *targets, int B, int T,
                               real scale, bool accumulate)
{
    assert(m->training);
    const int N = B * T;
    if (!accumulate)
        clear_added(m);
    m->sumsq = 0;
    stream_fwd(m, tokens, B, T);
    ln_f_fwd(m, m->acts.h[m->config.L].x, N);
    /* run the classifier forward and backward, chunk by chunk */
    backend_put(m->targets, targets, (size_t)N * sizeof *targets);
    double sum = 0;
    for (int n = 0; n < N; n += m->chunk) {
        real *h = m->acts.ln_f + (size_t)n * (size_t)m->config.C;
        int rows = chunk_rows(m, n, N);
        sum += chunk_fwd(m, h, m->targets + n, rows);
        chunk_bwd(m, h, m->targets + n, rows, scale / (real)N,
                  accumulate || n > 0,
                  n + rows < N ? NULL : sumsq_here(m));
    }
    stream_bwd(m, B, T, accumulate);
    return sum / N;
}

/* a training step in two halves */
static void fp32_train(struct Model *m, const int32_t *tokens,
                       const int32_t *targets, int B, int T, real scale,
                       bool accumulate)
{
    m->batch_loss = forward_backward(m, tokens, targets, B, T, scale,
                                     accumulate);
    m->loss = m->batch_loss + (accumulate ? m->loss : 0);
}

static double fp32_train_loss(struct Model *m)
{
    return m->loss;
}

/* compute the logits of the last positions */
static void fp32_logits(struct Model *m, real *logits,
                        const int32_t *tokens, int B, int T)
{
    const size_t C = (size_t)m->config.C;
    stream_fwd(m, tokens, B, T);
    real *x = m->acts.h[m->config.L].x;
    /* move the last vector of each row to the front */
    for (int b = 1; b <= B; b++)            /* the last of each row */
        backend_copy(x + (size_t)(b - 1) * C,
                     x + ((size_t)b * (size_t)T - 1) * C,
                     C * sizeof(real));
    ln_f_fwd(m, x, B);
    /* multiply them by the token vectors and hand the logits out */
    for (int b = 0; b < B; b += m->chunk) {
        const size_t at = (size_t)b, V = (size_t)m->config.V;
        const int rows = chunk_rows(m, b, B);
        gemm(m->acts.logits, m->acts.ln_f + at * C, m->w.wte, rows,
             m->config.V, m->config.C, GEMM_TB);
        backend_get(logits + at * V, m->acts.logits,
                    (size_t)rows * V * sizeof *logits);
    }
}

/* the calls of fp32 */
static bool no_weights(struct Model *m)
{
    (void)m;
    return true;
}

static void none(struct Model *m)
{
    (void)m;
}

static size_t no_bytes(const struct Model *m)
{
    (void)m;
    return 0;
}

static bf16 *no_copy(const struct Model *m, int i)
{
    (void)m, (void)i;
    return NULL;
}

static void no_put(struct Model *m, const real *host)
{
    (void)m, (void)host;
}

static void no_get(const struct Model *m, real *host)
{
    (void)m, (void)host;
}

const struct ModelCalls model_fp32 = {
    .check = fp32_check, .plan = fp32_plan, .forget = fp32_forget,
    .create = no_weights, .bound = none, .free = none,
    .copy_bytes = no_bytes, .copy_of = no_copy,
    .put = no_put, .get = no_get,
    .loss = fp32_loss, .train = fp32_train, .train_loss = fp32_train_loss,
    .grad_sumsq = fp32_grad_sumsq, .logits = fp32_logits,
};
