/* The model written plainly, forward and backward, in double; what is kept
 * in bf16 is rounded to it after it has been computed. */
#ifndef TESTS_PLAIN_MODEL_H
#define TESTS_PLAIN_MODEL_H

#include "base/alloc.h"
#include "gpt2/model.h"
#include "ops/adamw/adamw.h"
#include "ops/kernels/bf16.h"
#include "rows.h"               /* last: cmocka has a macro called fail */

#pragma GCC diagnostic ignored "-Wunused-function"

#define P double
#define F(name) name##_d
#define EXP exp
#define TANH tanh
#include "plain_ops.h"

/* What is kept in bf16, a bit for each kind of number. */
enum {
    ROUND_WEIGHTS = 1, ROUND_STREAM = 2, ROUND_INNER = 4, ROUND_LOGITS = 8,
    ROUND_DSTREAM = 16, ROUND_DINNER = 32, ROUND_DLOGITS = 64,
    ROUND_DWEIGHTS = 128,                   /* our model does not */
    ROUND_NONE = 0, ROUND_OURS = 127,
};
static int rounding;

static void keep(double *x, size_t n, int kind)
{
    for (size_t i = 0; rounding & kind && i < n; i++)
        x[i] = (double)bf16_to_float(float_to_bf16((float)x[i]));
}

static double *room(size_t n)
{
    return xcalloc(n, sizeof(double));
}

struct PlainActs {
    double *x, *ln_1, *mean_1, *rstd_1, *qkv, *att, *lse, *mid, *ln_2,
           *mean_2, *rstd_2, *fc, *gelu;
};

struct Plain {
    const struct Config *c;
    const struct ParamTable *t;
    int B, T;
    double *w, *g;                          /* [t->total] */
    struct PlainActs *h;
    double loss, spread, *logits;           /* spread: rms of the losses */
};

static double *param(double *base, const struct Plain *p, const char *name,
                     int l)
{
    char full[60];
    snprintf(full, sizeof full, l < 0 ? "%s" : "h.%2$d.%1$s", name, l);
    for (int i = 0; i < p->t->n; i++)
        if (strcmp(p->t->row[i].name, full) == 0)
            return base + p->t->row[i].offset;
    fail_msg("no parameter %s", full);
    return NULL;
}

#define W(name) param(p->w, p, name, l)
#define G(name) param(p->g, p, name, l)

static void plain_layer(struct Plain *p, int l)
{
    struct PlainActs *a = &p->h[l];
    const int N = p->B * p->T, C = p->c->C, NH = p->c->NH;
    const size_t n = (size_t)(N * C);
    a->ln_1 = room(n), a->mean_1 = room(n), a->rstd_1 = room(n);
    a->qkv = room(3 * n), a->att = room(n), a->lse = room(n);
    a->mid = room(n), a->ln_2 = room(n), a->mean_2 = room(n);
    a->rstd_2 = room(n), a->fc = room(4 * n), a->gelu = room(4 * n);
    a[1].x = room(n);
    plain_layernorm_d(a->ln_1, a->mean_1, a->rstd_1, a->x,
                      W("ln_1.weight"), W("ln_1.bias"), N, C);
    keep(a->ln_1, n, ROUND_INNER);
    plain_linear_d(a->qkv, a->ln_1, W("attn.c_attn.weight"),
                   W("attn.c_attn.bias"), N, C, 3 * C);
    keep(a->qkv, 3 * n, ROUND_INNER);
    plain_attention_d(a->att, a->lse, a->qkv, p->B, p->T, C, NH);
    keep(a->att, n, ROUND_INNER);
    plain_linear_d(a->mid, a->att, W("attn.c_proj.weight"),
                   W("attn.c_proj.bias"), N, C, C);
    for (size_t i = 0; i < n; i++)
        a->mid[i] += a->x[i];
    keep(a->mid, n, ROUND_STREAM);
    plain_layernorm_d(a->ln_2, a->mean_2, a->rstd_2, a->mid,
                      W("ln_2.weight"), W("ln_2.bias"), N, C);
    keep(a->ln_2, n, ROUND_INNER);
    plain_linear_d(a->fc, a->ln_2, W("mlp.c_fc.weight"),
                   W("mlp.c_fc.bias"), N, C, 4 * C);
    keep(a->fc, 4 * n, ROUND_INNER);
    plain_gelu_d(a->gelu, a->fc, 4 * N * C);
    keep(a->gelu, 4 * n, ROUND_INNER);
    plain_linear_d(a[1].x, a->gelu, W("mlp.c_proj.weight"),
                   W("mlp.c_proj.bias"), N, 4 * C, C);
    for (size_t i = 0; i < n; i++)
        a[1].x[i] += a->mid[i];
    keep(a[1].x, n, ROUND_STREAM);
}

static void plain_layer_bwd(struct Plain *p, int l, double *dx)
{
    struct PlainActs *a = &p->h[l];
    const int N = p->B * p->T, C = p->c->C, NH = p->c->NH;
    const size_t n = (size_t)(N * C);
    double *dgelu = room(4 * n), *dfc = room(4 * n), *dln = room(n);
    double *datt = room(n), *dqkv = room(3 * n);
    plain_linear_bwd_d(dgelu, G("mlp.c_proj.weight"), G("mlp.c_proj.bias"),
                       dx, a->gelu, W("mlp.c_proj.weight"), N, 4 * C, C);
    plain_gelu_bwd_d(dfc, dgelu, a->fc, 4 * N * C);
    keep(dfc, 4 * n, ROUND_DINNER);
    plain_linear_bwd_d(dln, G("mlp.c_fc.weight"), G("mlp.c_fc.bias"), dfc,
                       a->ln_2, W("mlp.c_fc.weight"), N, C, 4 * C);
    keep(dln, n, ROUND_DINNER);
    plain_layernorm_bwd_d(dx, G("ln_2.weight"), G("ln_2.bias"), dln, a->mid,
                          a->mean_2, a->rstd_2, W("ln_2.weight"), N, C);
    keep(dx, n, ROUND_DSTREAM);
    plain_linear_bwd_d(datt, G("attn.c_proj.weight"),
                       G("attn.c_proj.bias"), dx, a->att,
                       W("attn.c_proj.weight"), N, C, C);
    keep(datt, n, ROUND_DINNER);
    plain_attention_bwd_d(dqkv, datt, a->qkv, a->lse, p->B, p->T, C, NH);
    keep(dqkv, 3 * n, ROUND_DINNER);
    plain_linear_bwd_d(dln, G("attn.c_attn.weight"), G("attn.c_attn.bias"),
                       dqkv, a->ln_1, W("attn.c_attn.weight"), N, C, 3 * C);
    keep(dln, n, ROUND_DINNER);
    plain_layernorm_bwd_d(dx, G("ln_1.weight"), G("ln_1.bias"), dln, a->x,
                          a->mean_1, a->rstd_1, W("ln_1.weight"), N, C);
    keep(dx, n, ROUND_DSTREAM);
    free(dgelu), free(dfc), free(dln), free(datt), free(dqkv);
}

static void plain_free(struct Plain *p)
{
    for (int l = 0; l < p->c->L; l++) {
        struct PlainActs *a = &p->h[l];
        double *all[] = { a->ln_1, a->mean_1, a->rstd_1, a->qkv, a->att,
            a->lse, a->mid, a->ln_2, a->mean_2, a->rstd_2, a->fc, a->gelu,
            a[1].x };
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            free(all[i]);
    }
    free(p->h[0].x), free(p->h), free(p->w), free(p->g), free(p->logits);
}

/* Loss, logits and the gradient of the loss, of weights w [t->total]. */
static void plain_model(struct Plain *p, const struct Model *m,
                        const real *w, const int32_t *tokens,
                        const int32_t *targets, int B, int T, int round)
{
    *p = (struct Plain){ .c = &m->config, .t = &m->table, .B = B, .T = T };
    const int N = B * T, C = p->c->C, V = p->c->V, L = p->c->L, l = -1;
    const size_t n = (size_t)(N * C), total = p->t->total;
    const size_t nv = (size_t)(N * V);
    rounding = round;
    p->w = room(total), p->g = room(total), p->logits = room(nv);
    p->h = xcalloc((size_t)L + 1, sizeof *p->h);
    for (size_t i = 0; i < total; i++)
        p->w[i] = (double)w[i];
    keep(p->w, total, ROUND_WEIGHTS);
    p->h[0].x = room(n);
    plain_embedding_d(p->h[0].x, tokens, W("wte.weight"), W("wpe.weight"),
                      B, T, C);
    keep(p->h[0].x, n, ROUND_STREAM);
    for (int i = 0; i < L; i++)
        plain_layer(p, i);
    double *ln = room(n), *mean = room(n), *rstd = room(n), *lse = room(n);
    double *losses = room(n), *dl = room(nv), *dln = room(n);
    double *dx = room(n);
    plain_layernorm_d(ln, mean, rstd, p->h[L].x, W("ln_f.weight"),
                      W("ln_f.bias"), N, C);
    keep(ln, n, ROUND_INNER);
    plain_gemm_d(p->logits, ln, W("wte.weight"), NULL, N, V, C, 0, 1, 0);
    keep(p->logits, nv, ROUND_LOGITS);
    plain_crossentropy_d(losses, lse, p->logits, targets, N, V);
    for (int i = 0; i < N; i++) {
        p->loss += losses[i] / N;
        p->spread += losses[i] * losses[i];
    }
    p->spread = sqrt(p->spread / N);
    plain_crossentropy_bwd_d(dl, p->logits, lse, targets, 1.0 / N, N, V);
    keep(dl, nv, ROUND_DLOGITS);
    plain_gemm_d(G("wte.weight"), dl, ln, NULL, V, C, N, 1, 0, 0);
    plain_gemm_d(dln, dl, W("wte.weight"), NULL, N, C, V, 0, 0, 0);
    keep(dln, n, ROUND_DINNER);
    plain_layernorm_bwd_d(dx, G("ln_f.weight"), G("ln_f.bias"), dln,
                          p->h[L].x, mean, rstd, W("ln_f.weight"), N, C);
    keep(dx, n, ROUND_DSTREAM);
    for (int i = L - 1; i >= 0; i--)
        plain_layer_bwd(p, i, dx);
    plain_embedding_bwd_d(G("wte.weight"), G("wpe.weight"), dx, tokens, B,
                          T, C);
    keep(p->g, total, ROUND_DWEIGHTS);
    free(ln), free(mean), free(rstd), free(lse), free(losses), free(dl);
    free(dln), free(dx);
}

#endif
