/* Tangled from chapters/workshop/file-formats.nw, "The model's own plumbing".  Edit it there. */

#include "gpt2/model.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "backend/backend.h"
#include "base/alloc.h"
#include "gpt2/mixed.h"
#include "gpt2/mixed_plan.h"
#include "ops/adamw/adamw.h"
#include "ops/attention/attention.h"
#include "ops/embedding/embedding.h"
#include "ops/fp32/fp32.h"
#include "ops/gelu/gelu.h"
#include "ops/layernorm/layernorm.h"
#include "ops/linear/linear.h"
#include "ops/loss/crossentropy.h"
#include "ops/matmul/matmul.h"
#include "ops/residual/residual.h"

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

/* plan the activations */
#define PLAN_ACT(field, columns, written, reader, needed)             \
    plan_layer(m, #field, l, columns, fwd(l, written),                \
               m->training ? bwd(c, l, needed) : fwd(l, reader),      \
               &m->acts.h[l].field);
#define PLAN_GRAD(field, columns, written, reader)                    \
    plan_layer(m, #field, l, columns, bwd(c, l, written),             \
               bwd(c, l, reader), &m->acts.h[l].field);


static void plan_layer(struct Model *m, const char *field, int l,
                       int columns, int from, int to, real **where)
{
    char name[40];
    snprintf(name, sizeof name, "h.%d.%s", l, field);
    plan_add(&m->plan, name, (size_t)m->B * (size_t)m->T, (size_t)columns,
             from, to, where);
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
static void plan_ends(struct Model *m)
{
    const struct Config *c = &m->config;
    const int ln_f = fwd(c->L, LN_1), z = classifier_step(c);
    const int ln_f_back = m->training ? bwd(c, c->L, LN_1) : ln_f;
    const size_t N = (size_t)m->B * (size_t)m->T, C = (size_t)c->C;
    const size_t rows = (size_t)m->chunk;
    struct Plan *p = &m->plan;
    struct Acts *a = &m->acts;
    plan_add(p, "x_f", N, C, fwd(c->L, BEFORE), ln_f_back,
             &a->h[c->L].x);
    plan_add(p, "ln_f", N, C, ln_f, m->training ? ln_f_back : z, &a->ln_f);
    plan_add(p, "mean_f", N, 1, ln_f, ln_f_back, &a->mean_f);
    plan_add(p, "rstd_f", N, 1, ln_f, ln_f_back, &a->rstd_f);
    plan_add(p, "logits", rows, (size_t)m->Vp, z, z, &a->logits);
    plan_add(p, "lse", rows, 1, z, z, &a->lse);
    plan_add(p, "losses", rows, 1, z, z, &a->losses);
    if (m->training)
        plan_add(p, "dx", N, C, ln_f_back, 2 * z, &a->dx);
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

/* create and free a model */
/* A library's products have an order of their own, and are at their best
 * when they are large. */
static bool by_library(void)
{
    return strncmp(gemm_used(), "cublas", 6) == 0;
}

static int rows_of_logits(const struct ModelOptions *o, int N)
{
    const int rows = o->rows ? o->rows : by_library() ? BIG_CHUNK : CHUNK;
    return rows < N ? rows : N;
}

/* ... and their number of columns is a multiple of 128.  The rows of wte
 * from V on are then some of wpe's, which stand behind it: as weights they
 * make logits that nobody looks at, and as gradients zeros are added. */
static int columns_of_logits(const struct Config *c)
{
    const int Vp = (c->V + 127) / 128 * 128;
    return by_library() && Vp - c->V <= c->T ? Vp : c->V;
}

/* Everything about the model except its memory. */
static bool describe(struct Model *m, const struct Config *c, int B,
                     int T, bool training, const struct ModelOptions *o,
                     struct Error *e)
{
    *m = (struct Model){ .config = *c, .B = B, .T = T,
                         .training = training, .options = *o };
    if (!config_check(c, e) || !batch_check(c, B, T, e))
        return false;
    m->chunk = rows_of_logits(o, B * T);
    m->Vp = columns_of_logits(c);
    params_table(&m->table, c);
    m->acts.h = xcalloc((size_t)c->L + 1, sizeof *m->acts.h);
    if (o->precision == BF16) {
        mixed_plan(m);
    } else {
        plan_layers(m);
        plan_ends(m);
    }
    plan_layout(&m->plan, true);
    return true;
}

static void new_weights(struct Weights *w, const struct Model *m,
                        const char *what)
{
    const struct ParamTable *t = &m->table;
    real *base = backend_alloc(t->total * sizeof(real), what);
    weights_bind(w, t, &m->config, base);
    backend_zero(base, t->total * sizeof(real));
}

static const struct ModelOptions plain;         /* fp32, all kept */

bool model_create_as(struct Model *m, const struct Config *config, int B,
                     int T, bool training, const struct ModelOptions *o,
                     struct Error *e)
{
    if (!describe(m, config, B, T, training, o, e))
        return false;
    const size_t batch = (size_t)B * (size_t)T * sizeof *m->tokens;
    if (o->precision == BF16 && !mixed_create(m, e))
        return false;
    if (!o->no_master)
        new_weights(&m->w, m, "the weights");
    if (training)
        new_weights(&m->g, m, "the gradients");
    m->acts_memory = backend_alloc(m->plan.total_bytes, "the activations");
    plan_bind(&m->plan, m->acts_memory);
    if (m->mixed)
        mixed_keep(m);
    m->tokens = backend_alloc(batch, "the tokens");
    m->targets = backend_alloc(batch, "the targets");
    return true;
}

bool model_create(struct Model *m, const struct Config *config, int B,
                  int T, bool training, struct Error *e)
{
    return model_create_as(m, config, B, T, training, &plain, e);
}

/* What describe has made. */
static void describe_free(struct Model *m)
{
    mixed_plan_free(m);
    params_free(&m->table);
    plan_free(&m->plan);
    free(m->acts.h);
    *m = (struct Model){ 0 };
}

void model_free(struct Model *m)
{
    mixed_free(m);
    backend_free(m->w.base);
    backend_free(m->g.base);
    backend_free(m->acts_memory);
    backend_free(m->tokens);
    backend_free(m->targets);
    weights_unbind(&m->w);
    weights_unbind(&m->g);
    describe_free(m);
}

void model_init(struct Model *m, uint64_t seed)
{
    real *host = model_borrow(m);
    params_init(host, &m->table, &m->config, seed);
    model_return(m, host, true);
}

real *model_borrow(const struct Model *m)
{
    const size_t bytes = m->table.total * sizeof(real);
    if (m->w.base)
        return backend_borrow(m->w.base, bytes);
    real *host = xcalloc(m->table.total, sizeof *host);
    mixed_get(m, host);
    return host;
}

void model_return(struct Model *m, real *host, bool changed)
{
    if (changed && m->options.precision == BF16)
        mixed_put(m, host);
    if (m->w.base)
        backend_return(m->w.base, host, m->table.total * sizeof(real),
                       changed);
    else
        free(host);
}

/* print what a model will allocate */
static void print_always(FILE *out, const char *name,
                         const struct Model *m)
{
    fprintf(out, "%-14s %6s %8s %14zu   always\n", name, "", "",
            m->table.total * sizeof(real));
}

static void print_item(FILE *out, const struct PlanItem *i)
{
    fprintf(out, "%-14s %6zu x %6zu %13zu   %4d .. %-4d @ %zu\n", i->name,
            i->rows, i->cols, i->size_bytes, i->from, i->to, i->offset);
}

/* Of the layers between the second and the last one line is enough. */
static bool is_dull(const struct PlanItem *i, int L)
{
    int l;
    return L > 4 && sscanf(i->name, "h.%d.", &l) == 1 && l > 1 && l < L - 1;
}

static void print_items(FILE *out, const struct Model *m)
{
    bool dots = false;
    for (int i = 0; i < m->plan.n; i++) {
        const struct PlanItem *item = &m->plan.item[i];
        bool dull = is_dull(item, m->config.L);
        if (!dull)
            print_item(out, item);
        else if (!dots)
            fprintf(out, "h.2 .. h.%-6d like h.1, %d steps a layer "
                    "later%s\n", m->config.L - 2, LAYER_STEPS, m->training
                    ? " on the way forward, earlier on the way back" : "");
        dots |= dull;
    }
}

/* Whatever is there all the time. */
static size_t fixed_bytes(const struct Model *m, bool moments)
{
    size_t copies = !m->options.no_master + (m->training ? 1 : 0)
                  + (moments ? 2 : 0);
    return copies * m->table.total * sizeof(real)
         + (m->mixed ? m->mixed->total * sizeof(bf16) : 0);
}

static void print_totals(FILE *out, const struct Model *m, bool moments)
{
    const struct Plan *p = &m->plan;
    size_t fixed = fixed_bytes(m, moments);
    fprintf(out, "activations %.1f MB: %.1f MB alive at once, %.1f MB if "
            "none were shared\n",
            (double)p->total_bytes / 1e6, (double)p->live_bytes / 1e6,
            (double)p->sum_bytes / 1e6);
    fprintf(out, "total %.1f MB\n",
            (double)(fixed + p->total_bytes) / 1e6);
}

bool model_print_plan(FILE *out, const struct Config *config, int B, int T,
                      bool training, bool moments,
                      const struct ModelOptions *o, struct Error *e)
{
    struct Model m;
    if (!describe(&m, config, B, T, training, o ? o : &plain, e))
        return false;
    /* print the heading of the plan */
    fprintf(out, "%zu parameters; batch %d x %d = %d tokens\n",
            m.table.count, B, T, B * T);
    fprintf(out, "steps: 0 embedding, 1 .. %d layers, %d ln_f, %d "
            "classifier%s\n", LAYER_STEPS * config->L,
            fwd(config->L, LN_1), classifier_step(config),
            training ? ", then mirrored" : "");
    fprintf(out, "%-14s %15s %14s   lives\n", "name", "shape", "bytes");
    if (!m.options.no_master)
        print_always(out, "weights", &m);
    if (m.mixed)
        fprintf(out, "%-14s %6s %8s %14zu   always\n", "bf16 weights", "",
                "", m.mixed->total * sizeof(bf16));
    if (training)
        print_always(out, "gradients", &m);
    if (moments) {
        print_always(out, "first moment", &m);
        print_always(out, "second moment", &m);
    }
    print_items(out, &m);
    print_totals(out, &m, moments);
    describe_free(&m);
    return true;
}

size_t model_bytes(const struct Config *config, int B, int T,
                   bool training, bool moments,
                   const struct ModelOptions *o)
{
    struct Model m;
    struct Error e;
    bool ok = describe(&m, config, B, T, training, o, &e);
    size_t bytes = ok ? fixed_bytes(&m, moments) + m.plan.total_bytes : 0;
    describe_free(&m);
    return bytes;
}

/* the forward pass */
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

/* Up to the residual stream behind the last layer. */
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
    const int V = m->config.V;
    if (fp32_crossentropy_fwd(a->losses, a->lse, a->logits, targets, rows,
                              V, m->Vp))
        return;
    assert(m->Vp == V);
    crossentropy_fwd(a->losses, a->lse, a->logits, targets, rows, V);
}

static void rows_loss_bwd(struct Model *m, const int32_t *targets,
                          real scale, int rows)
{
    struct Acts *a = &m->acts;
    const int V = m->config.V;
    if (fp32_crossentropy_bwd(a->logits, a->logits, a->lse, targets,
                              scale, rows, V, m->Vp))
        return;
    assert(m->Vp == V);
    crossentropy_bwd(a->logits, a->logits, a->lse, targets, scale, rows, V);
}

/* the classifier */
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
    for (int i = 0; i < rows; i++)
        sum += (double)losses[i];
    backend_return(a->losses, losses, bytes, false);
    return sum;
}

/* logits become dlogits, h becomes dh, dwte is written or added to */
static void chunk_bwd(struct Model *m, real *h, const int32_t *targets,
                      int rows, real scale, bool add, double *squares)
{
    struct Acts *a = &m->acts;
    const int Vp = m->Vp, C = m->config.C;
    rows_loss_bwd(m, targets, scale, rows);
    gemm_sumsq(m->g.wte, a->logits, h, Vp, C, rows,
               GEMM_TA | GEMM_NONTEMPORAL | (add ? GEMM_ADD : 0), squares);
    gemm(h, a->logits, m->w.wte, rows, C, Vp, 0);
}

/* the backward pass */
static double *squares_here(struct Model *m)
{
    return strcmp(backend_kind(), "cpu") == 0 ? &m->squares : NULL;
}


static void layer_bwd(struct Model *m, int l, int B, int T, bool add)
{
    const struct LayerWeights *w = &m->w.h[l];
    struct LayerWeights *g = &m->g.h[l];
    struct LayerActs *a = &m->acts.h[l];
    real *dx = m->acts.dx;
    double *squares = squares_here(m);
    const int N = B * T, C = m->config.C, NH = m->config.NH;
    /* differentiate the second half of layer l */
    linear_bwd(a->dgelu, g->mlp_w, g->mlp_b, dx, a->gelu, w->mlp_w, N,
               4 * C, C, add, squares);
    gelu_bwd(a->dgelu, a->dgelu, a->fc, (size_t)N * 4 * (size_t)C);
    linear_bwd(a->dln_2, g->fc_w, g->fc_b, a->dgelu, a->ln_2, w->fc_w, N,
               C, 4 * C, add, squares);
    layernorm_bwd(dx, g->ln_2_w, g->ln_2_b, a->dln_2, a->mid, a->mean_2,
                  a->rstd_2, w->ln_2_w, N, C);
    /* differentiate the first half of layer l */
    linear_bwd(a->datt, g->proj_w, g->proj_b, dx, a->att, w->proj_w, N, C,
               C, add, squares);
    attention_bwd(a->dqkv, a->datt, a->qkv, a->att, a->lse, B, T, C, NH);
    linear_bwd(a->dln_1, g->qkv_w, g->qkv_b, a->dqkv, a->ln_1, w->qkv_w,
               N, C, 3 * C, add, squares);
    layernorm_bwd(dx, g->ln_1_w, g->ln_1_b, a->dln_1, a->x, a->mean_1,
                  a->rstd_1, w->ln_1_w, N, C);
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
static double squares_of_rows(const struct Model *m, int N)
{
    const size_t C = (size_t)m->config.C;
    bool *seen = xcalloc((size_t)m->config.V, sizeof *seen);
    double sum = 0;
    for (int i = 0; i < N; i++) {
        const int32_t token = m->tokens[i];
        if (!seen[token])
            sum += sum_squares(m->g.wte + (size_t)token * C, C);
        seen[token] = true;
    }
    free(seen);
    return sum;
}

static void stream_bwd(struct Model *m, int B, int T, bool add)
{
    struct Acts *a = &m->acts;
    const struct Config *c = &m->config;
    const int N = B * T;
    backend_zero(a->dx, (size_t)N * (size_t)c->C * sizeof(real));
    layernorm_bwd(a->dx, m->g.ln_f_w, m->g.ln_f_b, a->ln_f, a->h[c->L].x,
                  a->mean_f, a->rstd_f, m->w.ln_f_w, N, c->C);
    for (int l = c->L - 1; l >= 0; l--)
        layer_bwd(m, l, B, T, add);
    /* add the embedding's part to the token vectors' gradient */
    double *squares = squares_here(m);
    if (squares)
        *squares -= squares_of_rows(m, N);
    embedding_bwd(m->g.wte, m->g.wpe, a->dx, m->tokens, B, T, c->C);
    if (squares)
        *squares += squares_of_rows(m, N);
}

/* the loss of a batch */
static int chunk_rows(const struct Model *m, int n, int N)
{
    return N - n < m->chunk ? N - n : m->chunk;
}

double model_loss(struct Model *m, const int32_t *tokens,
                  const int32_t *targets, int B, int T)
{
    const int N = B * T;
    if (m->options.precision == BF16)
        return mixed_loss(m, tokens, targets, B, T);
    stream_fwd(m, tokens, B, T);
    ln_f_fwd(m, m->acts.h[m->config.L].x, N);
    backend_put(m->targets, targets, (size_t)N * sizeof *targets);
    double sum = 0;
    for (int n = 0; n < N; n += m->chunk)
        sum += chunk_fwd(m, m->acts.ln_f + (size_t)n * (size_t)m->config.C,
                         m->targets + n, chunk_rows(m, n, N));
    return sum / N;
}

/* a training step */
double model_forward_backward(struct Model *m, const int32_t *tokens,
                              const int32_t *targets, int B, int T,
                              real scale, bool accumulate)
{
    assert(m->training);
    const int N = B * T;
    /* train in bf16, if that is the model's precision */
    if (m->options.precision == BF16) {
        mixed_train(m, tokens, targets, B, T, scale, accumulate);
        return mixed_train_loss(m);
    }
    if (!accumulate)
        clear_added(m);
    m->squares = 0;
    stream_fwd(m, tokens, B, T);
    ln_f_fwd(m, m->acts.h[m->config.L].x, N);
    /* take the classifier there and back, a chunk at a time */
    backend_put(m->targets, targets, (size_t)N * sizeof *targets);
    double sum = 0;
    for (int n = 0; n < N; n += m->chunk) {
        real *h = m->acts.ln_f + (size_t)n * (size_t)m->config.C;
        int rows = chunk_rows(m, n, N);
        sum += chunk_fwd(m, h, m->targets + n, rows);
        chunk_bwd(m, h, m->targets + n, rows, scale / (real)N,
                  accumulate || n > 0,
                  n + rows < N ? NULL : squares_here(m));
    }
    stream_bwd(m, B, T, accumulate);
    return sum / N;
}

double model_grad_sumsq(struct Model *m)
{
    if (!squares_here(m))
        return sum_squares(m->g.base, m->table.total);
    double sum = m->squares;
    for (int i = 0; i < m->table.n; i++) {
        const struct Param *p = &m->table.row[i];
        const real *g = m->g.base + p->offset;
        if (p->rows == 0 || g == m->g.wpe)
            sum += sum_squares(g, p->size);
    }
    return sum;
}

/* a training step in two halves */
void model_train_start(struct Model *m, const int32_t *tokens,
                       const int32_t *targets, int B, int T, real scale,
                       bool accumulate)
{
    if (m->options.precision == BF16)
        mixed_train(m, tokens, targets, B, T, scale, accumulate);
    else
        m->loss = model_forward_backward(m, tokens, targets, B, T, scale,
                                         accumulate)
                + (accumulate ? m->loss : 0);
}

double model_train_loss(struct Model *m)
{
    return m->options.precision == BF16 ? mixed_train_loss(m) : m->loss;
}

/* logits of the last positions */
void model_logits(struct Model *m, real *logits, const int32_t *tokens,
                  int B, int T)
{
    const size_t C = (size_t)m->config.C;
    if (m->options.precision == BF16) {
        mixed_logits(m, logits, tokens, B, T);
        return;
    }
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
