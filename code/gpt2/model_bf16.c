/* Tangled from chapters/workshop/gpu-model.nw, "The rest of the step".  Edit it there. */

#include "gpt2/model_bf16.h"

#include <assert.h>
#include <stdlib.h>
#include "ops/operators.h"

/* describe the matmuls of a linear layer */
/* y[N,OC] = x[N,C] w[C,OC] + b (+ add) */
static struct MatmulBf16 forward(bf16 *y, const bf16 *x, const bf16 *w,
                                 const bf16 *b, int N, int C, int OC)
{
    struct MatmulBf16 p = { 0 };
    p.M = N, p.N = OC, p.K = C;
    p.a = x, p.b = w, p.out = y, p.bias = b;
    return p;
}

/* dx[N,C] = dy[N,OC] w' */
static struct MatmulBf16 back_x(bf16 *dx, const bf16 *dy, const bf16 *w,
                                int N, int C, int OC)
{
    struct MatmulBf16 p = { 0 };
    p.M = N, p.N = C, p.K = OC, p.flags = GEMM_TB;
    p.a = dy, p.b = w, p.out = dx;
    return p;
}

/* compute the gradient of a weight */
/* dw[C,OC] = x' dy in fp32, or added; db, if not NULL, the sums of dy */
static void back_w(float *dw, float *db, const bf16 *x, const bf16 *dy,
                   int N, int C, int OC, bool add)
{
    struct MatmulBf16 p = { 0 };
    p.M = C, p.N = OC, p.K = N, p.flags = GEMM_TA | (add ? GEMM_ADD : 0);
    p.a = x, p.b = dy, p.out = dw, p.out_float = true;
    p.bias_grad = db, p.accumulate_bias = add;
    matmul_bf16(&p);
}

static void run(struct MatmulBf16 p)
{
    matmul_bf16(&p);
}

/* run a layer forward in bf16 */
static void attention_block_fwd(const struct Model *m,
                                const struct Bf16LayerActs *a,
                                const struct Bf16LayerWeights *w, int B,
                                int T)
{
    const int N = B * T, C = m->config.C;
    profile_range("layernorm");
    layernorm_bf16_fwd(a->ln_1, a->mean_1, a->rstd_1, a->x, w->ln_1_w,
                       w->ln_1_b, N, C);
    profile_range("qkv");
    run(forward(a->qkv, a->ln_1, w->qkv_w, w->qkv_b, N, C, 3 * C));
    profile_range("attention");
    attention_bf16_fwd(a->att, a->lse, a->qkv, B, T, C, m->config.NH);
    profile_range("proj");
    struct MatmulBf16 p = forward(a->mid, a->att, w->proj_w, w->proj_b, N,
                                  C, C);
    p.add = a->x;
    matmul_bf16(&p);
}

/* up to gelu; pre is kept for the backward pass, or NULL */
static void mlp_up_fwd(const struct Model *m, const struct Bf16LayerActs *a,
                       const struct Bf16LayerWeights *w, bf16 *pre, int N)
{
    const int C = m->config.C;
    profile_range("layernorm");
    layernorm_bf16_fwd(a->ln_2, a->mean_2, a->rstd_2, a->mid, w->ln_2_w,
                       w->ln_2_b, N, C);
    profile_range("fc");
    struct MatmulBf16 p = forward(a->gelu, a->ln_2, w->fc_w, w->fc_b, N, C,
                                  4 * C);
    p.epilogue = EPI_GELU;
    p.pre = pre;
    matmul_bf16(&p);
}

static void layer_fwd(struct Model *m, int l, int B, int T)
{
    const struct Bf16LayerActs *a = &m->bf16->h[l];
    const struct Bf16LayerWeights *w = &m->bf16->w.h[l];
    const int N = B * T, C = m->config.C;
    attention_block_fwd(m, a, w, B, T);
    mlp_up_fwd(m, a, w, m->training ? a->fc : NULL, N);
    profile_range("mlp");
    struct MatmulBf16 p = forward(m->bf16->h[l + 1].x, a->gelu, w->mlp_w,
                                  w->mlp_b, N, 4 * C, C);
    p.add = a->mid;
    matmul_bf16(&p);
}

/* the forward pass in bf16 */
static void stream_fwd(struct Model *m, int B, int T)
{
    struct Bf16Model *x = m->bf16;
    profile_range("embedding");
    embedding_bf16_fwd(x->h[0].x, m->tokens, x->w.wte, x->w.wpe, B, T,
                       m->config.C);
    for (int l = 0; l < m->config.L; l++)
        layer_fwd(m, l, B, T);
}

static void ln_f_fwd(struct Model *m, int N)
{
    struct Bf16Model *x = m->bf16;
    profile_range("layernorm");
    layernorm_bf16_fwd(x->ln_f, x->mean_f, x->rstd_f, x->h[m->config.L].x,
                       x->w.ln_f_w, x->w.ln_f_b, N, m->config.C);
}

/* run the classifier in bf16 */
/* The logits and losses of `rows` rows from n on. If a gradient is wanted,
 * it overwrites the logits; scale is the weight of a row's loss. */
static void chunk_fwd(struct Model *m, int n, int rows, float scale,
                      bool gradient)
{
    struct Bf16Model *x = m->bf16;
    const int C = m->config.C;
    profile_range("logits");
    struct MatmulBf16 p = { 0 };
    p.M = rows, p.N = x->Vp, p.K = C, p.flags = GEMM_TB;
    p.a = x->ln_f + (size_t)n * C, p.b = x->w.wte, p.out = x->logits;
    matmul_bf16(&p);
    profile_range("classifier");
    classifier_bf16(x->losses + n, x->logits, m->targets + n, scale, rows,
                    m->config.V, x->Vp, gradient);
}

/* From the gradient of the logits: the gradient of wte, written or added
 * to, and the gradient of ln_f, which overwrites ln_f. */
static void chunk_bwd(struct Model *m, int n, int rows, bool add)
{
    struct Bf16Model *x = m->bf16;
    const int Vp = x->Vp, C = m->config.C;
    bf16 *h = x->ln_f + (size_t)n * C;
    profile_range("logits dw");
    struct MatmulBf16 p = { 0 };
    p.M = Vp, p.N = C, p.K = rows, p.flags = GEMM_TA | (add ? GEMM_ADD : 0);
    p.a = x->logits, p.b = h, p.out = m->g.wte, p.out_float = true;
    matmul_bf16(&p);
    profile_range("logits dx");
    struct MatmulBf16 q = { 0 };
    q.M = rows, q.N = C, q.K = Vp;
    q.a = x->logits, q.b = x->w.wte, q.out = h;
    matmul_bf16(&q);
}

/* make again what was not kept */
/* Make again what the forward pass of layer l did not keep. */
static void redo(struct Model *m, int l, int B, int T)
{
    const struct Bf16LayerActs *a = &m->bf16->again[l];
    const struct Bf16LayerWeights *w = &m->bf16->w.h[l];
    const int N = B * T;
    if (m->options.recompute == REDO_BLOCK) {
        attention_block_fwd(m, a, w, B, T);
        mlp_up_fwd(m, a, w, a->fc, N);
    } else if (m->options.recompute >= REDO_GELU) {
        profile_range("gelu again");
        gelu_bf16_fwd(a->gelu, a->fc, 4 * (size_t)N * m->config.C);
    }
}

static void redo_norm(struct Model *m, bf16 *y, float *mean, float *rstd,
                      const bf16 *x, const bf16 *w, const bf16 *b, int N)
{
    if (m->options.recompute != REDO_NORM)
        return;
    profile_range("layernorm again");
    layernorm_bf16_fwd(y, mean, rstd, x, w, b, N, m->config.C);
}

/* run a layer backward in bf16 */
static void mlp_bwd(struct Model *m, int l, int N, bool add)
{
    const struct Bf16LayerActs *a = &m->bf16->again[l];
    const struct Bf16LayerActs *d = &m->bf16->h[l];
    const struct Bf16LayerWeights *w = &m->bf16->w.h[l];
    const struct LayerWeights *g = &m->g.h[l];
    bf16 *dx = m->bf16->dx;
    const int C = m->config.C;
    /* differentiate the down matmul and GELU */
    profile_range("mlp dw");
    back_w(g->mlp_w, NULL, a->gelu, dx, N, 4 * C, C, add);
    profile_range("mlp dx");
    struct MatmulBf16 p = back_x(d->dfc, dx, w->mlp_w, N, 4 * C, C);
    p.epilogue = EPI_DGELU, p.pre = a->fc;
    p.bias_grad = g->fc_b, p.accumulate_bias = add;
    matmul_bf16(&p);
    redo_norm(m, a->ln_2, a->mean_2, a->rstd_2, a->mid, w->ln_2_w,
              w->ln_2_b, N);
    /* differentiate the up matmul and the second LayerNorm */
    profile_range("fc dw");
    back_w(g->fc_w, NULL, a->ln_2, d->dfc, N, C, 4 * C, add);
    profile_range("fc dx");
    run(back_x(d->dln_2, d->dfc, w->fc_w, N, C, 4 * C));
    profile_range("layernorm bwd");
    layernorm_bf16_bwd(dx, g->ln_2_w, g->ln_2_b, g->proj_b, d->dln_2, dx,
                       a->mid, a->mean_2, a->rstd_2, w->ln_2_w, N, C, add);
}

static void attention_part_bwd(struct Model *m, int l, int B, int T,
                               bool add)
{
    const struct Bf16LayerActs *a = &m->bf16->again[l];
    const struct Bf16LayerActs *d = &m->bf16->h[l];
    const struct Bf16LayerWeights *w = &m->bf16->w.h[l];
    const struct LayerWeights *g = &m->g.h[l];
    bf16 *dx = m->bf16->dx;
    const int N = B * T, C = m->config.C;
    /* differentiate the projection and attention */
    profile_range("proj dw");
    back_w(g->proj_w, NULL, a->att, dx, N, C, C, add);
    profile_range("proj dx");
    run(back_x(d->datt, dx, w->proj_w, N, C, C));
    profile_range("attention bwd");
    attention_bf16_bwd(d->dqkv, g->qkv_b, d->datt, a->qkv, a->att, a->lse, B, T,
                       C, m->config.NH, add);
    redo_norm(m, a->ln_1, a->mean_1, a->rstd_1, a->x, w->ln_1_w,
              w->ln_1_b, N);
    /* differentiate the qkv matmul and the first LayerNorm */
    profile_range("qkv dw");
    back_w(g->qkv_w, NULL, a->ln_1, d->dqkv, N, C, 3 * C, add);
    profile_range("qkv dx");
    run(back_x(d->dln_1, d->dqkv, w->qkv_w, N, C, 3 * C));
    profile_range("layernorm bwd");
    if (l)
        layernorm_bf16_bwd(dx, g->ln_1_w, g->ln_1_b, g[-1].mlp_b, d->dln_1, dx,
                           a->x, a->mean_1, a->rstd_1, w->ln_1_w, N, C, add);
    else
        layernorm_bf16_bwd_positions(dx, g->ln_1_w, g->ln_1_b, m->g.wpe,
                                     d->dln_1, dx, a->x, a->mean_1, a->rstd_1,
                                     w->ln_1_w, N, T, C, add);
}

/* the stream backward in bf16 */
static void stream_bwd(struct Model *m, int B, int T, bool add)
{
    struct Bf16Model *x = m->bf16;
    const int L = m->config.L, N = B * T, C = m->config.C;
    profile_range("layernorm bwd");
    layernorm_bf16_bwd(x->dx, m->g.ln_f_w, m->g.ln_f_b, m->g.h[L - 1].mlp_b,
                       x->ln_f, NULL, x->h[L].x, x->mean_f, x->rstd_f,
                       x->w.ln_f_w, N, C, add);
    for (int l = L - 1; l >= 0; l--) {
        redo(m, l, B, T);
        mlp_bwd(m, l, N, add);
        attention_part_bwd(m, l, B, T, add);
        gradients_final(m, m->g.h[l].ln_1_w);
    }
    profile_range("embedding bwd");
    if (!add)                               /* positions beyond ours */
        backend_zero(m->g.wpe + (size_t)T * C,
                     (size_t)(m->config.T - T) * C * sizeof(float));
    backend_beside_wait();
    embedding_bf16_bwd(m->g.wte, x->dx, x->token_index, N, C);
    gradients_final(m, m->g.base);
}

/* index the tokens of the batch, beside the rest */
static void index_tokens(struct Model *m, int N)
{
    backend_beside_begin();
    embedding_bf16_index(m->bf16->token_index, m->tokens, N, m->config.V);
    backend_beside_end();
}

/* launch a training step in bf16 */
static void train_step(struct Model *m, int B, int T, float scale, bool add)
{
    const int N = B * T;
    index_tokens(m, N);
    stream_fwd(m, B, T);
    ln_f_fwd(m, N);
    for (int n = 0; n < N; n += m->chunk) {
        const int rows = chunk_rows(m, n, N);
        chunk_fwd(m, n, rows, scale / N, true);
        chunk_bwd(m, n, rows, add || n > 0);
    }
    mean_loss(m->bf16->mean, m->bf16->losses, N, add);
    stream_bwd(m, B, T, add);
    profile_range(NULL);
}

/* one graph for the whole step */
/* capture a step */
struct StepArgs { struct Model *m; int B, T; float scale; bool add; };

static void do_step(void *arg)
{
    const struct StepArgs *s = arg;
    train_step(s->m, s->B, s->T, s->scale, s->add);
}

/* find the graph of a step, or make room for it */
static struct Graph *find_graph(struct Bf16Model *x,
                                const struct StepArgs *s, bool *found)
{
    const bool tells = s->m->ready.call != NULL;
    *found = false;
    for (int i = 0; i < x->graphs; i++) {
        struct Graph *g = &x->graph[i];
        *found = g->B == s->B && g->T == s->T && g->scale == s->scale
              && g->add == s->add && g->tells == tells;
        if (*found)
            return g;
    }
    struct Graph *g = &x->graph[x->graphs < GRAPHS ? x->graphs++
                                                   : GRAPHS - 1];
    backend_forget(g->recording);
    *g = (struct Graph){ s->B, s->T, s->scale, s->add, tells, NULL };
    return g;
}

static void run_step(struct Model *m, int B, int T, float scale, bool add)
{
    struct StepArgs step = { m, B, T, scale, add };
    bool found;
    struct Graph *g = find_graph(m->bf16, &step, &found);
    if (found && !g->recording && !m->options.no_graph)
        g->recording = backend_record(do_step, &step);
    if (found && g->recording && !profile_enabled())
        backend_replay(g->recording);
    else
        do_step(&step);
}

/* create and free the bf16 model */
static bool bf16_check(const struct Model *m, struct Error *e)
{
    const struct Config *c = &m->config;
    const int HS = c->C / c->NH;
    if (!m->backend->ops->matmul_bf16)
        return error_set(e, "bf16 needs a GPU, and this model is on the "
                         "CPU: use the program whose name ends in -cuda "
                         "(or -simt, the software GPU), or --precision "
                         "fp32");
    if (c->C % 8)
        return error_set(e, "bf16: %d channels; the kernels move 8 at a "
                         "time, so it must be a multiple of 8; use "
                         "--precision fp32", c->C);
    if (HS != 32 && HS != 64 && HS != 80 && HS != 128)
        return error_set(e, "bf16: heads of %d channels; the attention "
                         "kernels have 32, 64, 80 and 128; use other "
                         "--heads or --precision fp32", HS);
    return true;
}

static bool bf16_create(struct Model *m)
{
    struct Bf16Model *x = m->bf16;
    const size_t bytes = x->total * sizeof(bf16);
    bf16 *base = backend_alloc(bytes + RANKS_ROOM * sizeof(bf16),
                               "the bf16 weights");
    if (!base)
        return false;
    if (!bf16_bind(m, base))
        backend_failed("no memory for the list of %d layers", m->config.L);
    backend_zero(base, bytes);
    x->mean = backend_alloc(2 * sizeof *x->mean, "the losses");
    x->h_mean = backend_host_alloc(2 * sizeof *x->mean, "the losses");
    if (m->training)
        x->token_index = backend_alloc(
            embedding_bf16_index_size(m->B * m->T),
            "the index of tokens");
    return backend_ok(NULL);
}

static void bf16_free(struct Model *m)
{
    struct Bf16Model *x = m->bf16;
    if (!x)
        return;
    backend_free(x->w.base);
    backend_free(x->mean);
    backend_host_free(x->h_mean);
    backend_free(x->token_index);
    for (int i = 0; i < x->graphs; i++)
        if (x->graph[i].recording)
            backend_forget(x->graph[i].recording);
}

/* the bf16 weights from and to the host */
static void bf16_put(struct Model *m, const real *host)
{
    struct Bf16Model *x = m->bf16;
    bf16 *to = calloc(x->total, sizeof *to);
    if (!to) {
        backend_failed("no memory for %zu weights in bf16", x->total);
        return;
    }
    for (int i = 0; i < m->table.n; i++) {
        const struct Param *p = &m->table.row[i];
        bf16 *at = to + bf16_offset(m, i);
        #pragma omp parallel for
        for (size_t k = 0; k < p->size; k++)
            at[k] = float_to_bf16(host[p->offset + k]);
    }
    backend_put(x->w.base, to, x->total * sizeof *to);
    free(to);
}

static void bf16_get(const struct Model *m, real *host)
{
    struct Bf16Model *x = m->bf16;
    const size_t bytes = x->total * sizeof(bf16);
    bf16 *from = backend_borrow(x->w.base, bytes);
    if (!from)
        return;
    for (int i = 0; i < m->table.n; i++) {
        const struct Param *p = &m->table.row[i];
        const bf16 *at = from + bf16_offset(m, i);
        for (size_t k = 0; k < p->size; k++)
            host[p->offset + k] = bf16_to_float(at[k]);
    }
    backend_return(x->w.base, from, bytes, false);
}

/* what the model calls */
static void send_tokens(struct Model *m, const int32_t *tokens, int B,
                        int T)
{
    const size_t N = (size_t)B * T;
    assert(B >= 1 && B <= m->B && T >= 1 && T <= m->T);
    for (size_t i = 0; i < N; i++)
        assert(tokens[i] >= 0 && tokens[i] < m->config.V);
    profile_range("tokens");
    backend_put_async(m->tokens, tokens, N * sizeof *tokens);
}

static void send_targets(struct Model *m, const int32_t *targets, int N)
{
    backend_put_async(m->targets, targets, (size_t)N * sizeof *targets);
}

static void bf16_train(struct Model *m, const int32_t *tokens,
                       const int32_t *targets, int B, int T, real scale,
                       bool accumulate)
{
    assert(m->training);
    send_tokens(m, tokens, B, T);
    send_targets(m, targets, B * T);
    run_step(m, B, T, scale, accumulate);
    backend_get_async(m->bf16->h_mean, m->bf16->mean, sizeof(double));
}

static double bf16_train_loss(struct Model *m)
{
    backend_wait();
    return m->batch_loss = m->bf16->h_mean[0];
}

static double bf16_grad_sumsq(struct Model *m)
{
    return sum_squares(m->g.base, m->table.total);
}

static double bf16_loss(struct Model *m, const int32_t *tokens,
                        const int32_t *targets, int B, int T)
{
    struct Bf16Model *x = m->bf16;
    const int N = B * T;
    send_tokens(m, tokens, B, T);
    send_targets(m, targets, N);
    stream_fwd(m, B, T);
    ln_f_fwd(m, N);
    for (int n = 0; n < N; n += m->chunk)
        chunk_fwd(m, n, chunk_rows(m, n, N), 0, false);
    mean_loss(x->mean + 1, x->losses, N, false);
    profile_range(NULL);
    backend_get_async(x->h_mean + 1, x->mean + 1, sizeof(double));
    backend_wait();
    return x->h_mean[1];
}

static void bf16_logits(struct Model *m, real *logits,
                        const int32_t *tokens, int B, int T)
{
    struct Bf16Model *x = m->bf16;
    const size_t C = (size_t)m->config.C, V = (size_t)m->config.V;
    send_tokens(m, tokens, B, T);
    stream_fwd(m, B, T);
    bf16 *h = x->h[m->config.L].x;
    for (int b = 1; b <= B; b++)            /* the last of each row */
        backend_copy(h + (size_t)(b - 1) * C, h + ((size_t)b * T - 1) * C,
                     C * sizeof(bf16));
    ln_f_fwd(m, B);
    struct MatmulBf16 p = { 0 };
    p.M = B, p.N = x->Vp, p.K = m->config.C, p.flags = GEMM_TB;
    p.a = x->ln_f, p.b = x->w.wte, p.out = x->last, p.out_float = true;
    matmul_bf16(&p);
    profile_range(NULL);
    for (int b = 0; b < B; b++)
        backend_get(logits + (size_t)b * V, x->last + (size_t)b * x->Vp,
                    V * sizeof *logits);
}

static size_t bf16_copy_bytes(const struct Model *m)
{
    return m->bf16->total * sizeof(bf16);
}

static bf16 *bf16_copy_of(const struct Model *m, int i)
{
    return m->bf16->w.base + bf16_offset(m, i);
}

const struct ModelCalls model_bf16 = {
    .check = bf16_check, .plan = bf16_plan, .forget = bf16_forget,
    .create = bf16_create, .bound = bf16_keep, .free = bf16_free,
    .copy_bytes = bf16_copy_bytes, .copy_of = bf16_copy_of,
    .put = bf16_put, .get = bf16_get, .loss = bf16_loss,
    .train = bf16_train, .train_loss = bf16_train_loss,
    .grad_sumsq = bf16_grad_sumsq, .logits = bf16_logits,
};
