/* Tangled from chapters/workshop/gpu-model.nw, "The rest of the step".  Edit it there. */

#include <assert.h>
#include <stdlib.h>
#include "gpt2/mixed.h"
#include "backend/backend.h"
#include "gpt2/mixed_plan.h"
#include "ops/attention/attention_bf16.h"
#include "ops/embedding/embedding_bf16.h"
#include "ops/gelu/gelu_bf16.h"
#include "ops/kernels/common.cuh"
#include "ops/layernorm/layernorm_bf16.h"
#include "ops/loss/classifier_bf16.h"
#include "ops/matmul/matmul_bf16.h"

/* the three products of a linear layer */
/* y[N,OC] = x[N,C] w[C,OC] + b (+ add) */
static struct MatmulBf16 forward(bf16 *y, const bf16 *x, const bf16 *w,
                                 const bf16 *b, int N, int C, int OC)
{
    struct MatmulBf16 p = { };
    p.M = N, p.N = OC, p.K = C;
    p.a = x, p.b = w, p.out = y, p.bias = b;
    return p;
}

/* dx[N,C] = dy[N,OC] w' */
static struct MatmulBf16 back_x(bf16 *dx, const bf16 *dy, const bf16 *w,
                                int N, int C, int OC)
{
    struct MatmulBf16 p = { };
    p.M = N, p.N = C, p.K = OC, p.flags = GEMM_TB;
    p.a = dy, p.b = w, p.out = dx;
    return p;
}

/* the gradient of a weight */
/* dw[C,OC] = x' dy in fp32, or added; db, if not NULL, the sums of dy */
static void back_w(float *dw, float *db, const bf16 *x, const bf16 *dy,
                   int N, int C, int OC, bool add)
{
    struct MatmulBf16 p = { };
    p.M = C, p.N = OC, p.K = N, p.flags = GEMM_TA | (add ? GEMM_ADD : 0);
    p.a = x, p.b = dy, p.out = dw, p.out_float = true;
    p.bias_grad = db, p.accumulate_bias = add;
    matmul_bf16(&p);
}

static void run(struct MatmulBf16 p)
{
    matmul_bf16(&p);
}

/* a layer forward in bf16 */
static void attend(const struct Model *m, const struct LayerActs16 *a,
                   const struct LayerWeights16 *w, int B, int T)
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
static void widen(const struct Model *m, const struct LayerActs16 *a,
                  const struct LayerWeights16 *w, bf16 *pre, int N)
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
    const struct LayerActs16 *a = &m->mixed->h[l];
    const struct LayerWeights16 *w = &m->mixed->w.h[l];
    const int N = B * T, C = m->config.C;
    attend(m, a, w, B, T);
    widen(m, a, w, m->training ? a->fc : NULL, N);
    profile_range("mlp");
    struct MatmulBf16 p = forward(m->mixed->h[l + 1].x, a->gelu, w->mlp_w,
                                  w->mlp_b, N, 4 * C, C);
    p.add = a->mid;
    matmul_bf16(&p);
}

/* the forward pass in bf16 */
static void stream_fwd(struct Model *m, int B, int T)
{
    struct Mixed *x = m->mixed;
    profile_range("embedding");
    embedding_bf16_fwd(x->h[0].x, m->tokens, x->w.wte, x->w.wpe, B, T,
                       m->config.C);
    for (int l = 0; l < m->config.L; l++)
        layer_fwd(m, l, B, T);
}

static void ln_f_fwd(struct Model *m, int N)
{
    struct Mixed *x = m->mixed;
    profile_range("layernorm");
    layernorm_bf16_fwd(x->ln_f, x->mean_f, x->rstd_f, x->h[m->config.L].x,
                       x->w.ln_f_w, x->w.ln_f_b, N, m->config.C);
}

/* the classifier in bf16 */
/* logits and losses of `rows` rows from n on; with a gradient the logits
 * become theirs, and scale is that of a row's loss */
static void chunk_fwd(struct Model *m, int n, int rows, float scale,
                      bool gradient)
{
    struct Mixed *x = m->mixed;
    const int C = m->config.C;
    profile_range("logits");
    struct MatmulBf16 p = { };
    p.M = rows, p.N = x->Vp, p.K = C, p.flags = GEMM_TB;
    p.a = x->ln_f + (size_t)n * C, p.b = x->w.wte, p.out = x->logits;
    matmul_bf16(&p);
    profile_range("classifier");
    classifier_bf16(x->losses + n, x->logits, m->targets + n, scale, rows,
                    m->config.V, x->Vp, gradient);
}

/* from the logits' gradient that of wte, written or added to, and that of
 * ln_f, in its place */
static void chunk_bwd(struct Model *m, int n, int rows, bool add)
{
    struct Mixed *x = m->mixed;
    const int Vp = x->Vp, C = m->config.C;
    bf16 *h = x->ln_f + (size_t)n * C;
    profile_range("logits dw");
    struct MatmulBf16 p = { };
    p.M = Vp, p.N = C, p.K = rows, p.flags = GEMM_TA | (add ? GEMM_ADD : 0);
    p.a = x->logits, p.b = h, p.out = m->g.wte, p.out_float = true;
    matmul_bf16(&p);
    profile_range("logits dx");
    struct MatmulBf16 q = { };
    q.M = rows, q.N = C, q.K = Vp;
    q.a = x->logits, q.b = x->w.wte, q.out = h;
    matmul_bf16(&q);
}

/* make again what was not kept */
/* Make again what the forward pass of layer l did not keep. */
static void redo(struct Model *m, int l, int B, int T)
{
    const struct LayerActs16 *a = &m->mixed->again[l];
    const struct LayerWeights16 *w = &m->mixed->w.h[l];
    const int N = B * T;
    if (m->options.recompute == REDO_BLOCK) {
        attend(m, a, w, B, T);
        widen(m, a, w, a->fc, N);
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

/* a layer backward in bf16 */
static void mlp_bwd(struct Model *m, int l, int N, bool add)
{
    const struct LayerActs16 *a = &m->mixed->again[l];
    const struct LayerActs16 *d = &m->mixed->h[l];
    const struct LayerWeights16 *w = &m->mixed->w.h[l];
    const struct LayerWeights *g = &m->g.h[l];
    bf16 *dx = m->mixed->dx;
    const int C = m->config.C;
    /* derivative of the down product and of GELU */
    profile_range("mlp dw");
    back_w(g->mlp_w, NULL, a->gelu, dx, N, 4 * C, C, add);
    profile_range("mlp dx");
    struct MatmulBf16 p = back_x(d->dfc, dx, w->mlp_w, N, 4 * C, C);
    p.epilogue = EPI_DGELU, p.pre = a->fc;
    p.bias_grad = g->fc_b, p.accumulate_bias = add;
    matmul_bf16(&p);
    redo_norm(m, a->ln_2, a->mean_2, a->rstd_2, a->mid, w->ln_2_w,
              w->ln_2_b, N);
    /* derivative of the up product and of the second LayerNorm */
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
    const struct LayerActs16 *a = &m->mixed->again[l];
    const struct LayerActs16 *d = &m->mixed->h[l];
    const struct LayerWeights16 *w = &m->mixed->w.h[l];
    const struct LayerWeights *g = &m->g.h[l];
    bf16 *dx = m->mixed->dx;
    const int N = B * T, C = m->config.C;
    /* derivative of the projection and of attention */
    profile_range("proj dw");
    back_w(g->proj_w, NULL, a->att, dx, N, C, C, add);
    profile_range("proj dx");
    run(back_x(d->datt, dx, w->proj_w, N, C, C));
    profile_range("attention bwd");
    attention_bf16_bwd(d->dqkv, g->qkv_b, d->datt, a->qkv, a->att, a->lse, B, T,
                       C, m->config.NH, add);
    redo_norm(m, a->ln_1, a->mean_1, a->rstd_1, a->x, w->ln_1_w,
              w->ln_1_b, N);
    /* derivative of the qkv product and of the first LayerNorm */
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

/* a stream beside */
struct Words {
    void *list;                     /* embedding_bf16_index's */
    cudaStream_t beside;
    cudaEvent_t begun, made;
};

/* the stream backward in bf16 */
static void stream_bwd(struct Model *m, int B, int T, bool add)
{
    struct Mixed *x = m->mixed;
    const int L = m->config.L, N = B * T, C = m->config.C;
    profile_range("layernorm bwd");
    layernorm_bf16_bwd(x->dx, m->g.ln_f_w, m->g.ln_f_b, m->g.h[L - 1].mlp_b,
                       x->ln_f, NULL, x->h[L].x, x->mean_f, x->rstd_f,
                       x->w.ln_f_w, N, C, add);
    for (int l = L - 1; l >= 0; l--) {
        redo(m, l, B, T);
        mlp_bwd(m, l, N, add);
        attention_part_bwd(m, l, B, T, add);
    }
    profile_range("embedding bwd");
    if (!add)                               /* positions beyond ours */
        backend_zero(m->g.wpe + (size_t)T * C,
                     (size_t)(m->config.T - T) * C * sizeof(float));
    CUDA_OK(cudaStreamWaitEvent(backend_stream, x->words->made, 0));
    embedding_bf16_bwd(m->g.wte, x->dx, x->words->list, N, C);
}

/* the mean of the losses */
enum { SUMMERS = 1024 };

/* *mean = the mean of loss[0 .. N), or added to it, in double, in a fixed
 * order.       launch  1 block of 1,024       moves  4 N bytes */
__global__ void mean_kernel(double *mean, const float *loss, int N,
                            bool add)
{
    __shared__ double part[SUMMERS];
    double sum = 0;
    for (int n = threadIdx.x; n < N; n += SUMMERS)
        sum += loss[n];
    part[threadIdx.x] = sum;
    for (unsigned half = SUMMERS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        *mean = part[0] / N + (add ? *mean : 0);
}

static void mean_loss(double *mean, const float *loss, int N, bool add)
{
    profile_range("losses");
    mean_kernel<<<1, SUMMERS, 0, backend_stream>>>(mean, loss, N, add);
    LAUNCHED();
}

/* list the words of the batch, on a second stream */
static void list_words(struct Model *m, int N)
{
    struct Words *w = m->mixed->words;
    cudaStream_t stream = backend_stream;
    CUDA_OK(cudaEventRecord(w->begun, stream));
    CUDA_OK(cudaStreamWaitEvent(w->beside, w->begun, 0));
    backend_stream = w->beside;
    embedding_bf16_index(w->list, m->tokens, N, m->config.V);
    backend_stream = stream;
    CUDA_OK(cudaEventRecord(w->made, w->beside));
}

static struct Words *words_create(int N)
{
    struct Words *w = (struct Words *)calloc(1, sizeof *w);
    if (!w)
        fail("no memory for a stream");
    w->list = backend_alloc(embedding_bf16_index_size(N),
                            "the list of words");
    CUDA_OK(cudaStreamCreateWithFlags(&w->beside, cudaStreamNonBlocking));
    CUDA_OK(cudaEventCreateWithFlags(&w->begun, cudaEventDisableTiming));
    CUDA_OK(cudaEventCreateWithFlags(&w->made, cudaEventDisableTiming));
    return w;
}

static void words_free(struct Words *w)
{
    if (!w)
        return;
    backend_free(w->list);
    CUDA_OK(cudaStreamDestroy(w->beside));
    CUDA_OK(cudaEventDestroy(w->begun));
    CUDA_OK(cudaEventDestroy(w->made));
    free(w);
}

/* the training step in bf16 */
static int chunk_rows(const struct Model *m, int n, int N)
{
    return N - n < m->chunk ? N - n : m->chunk;
}

static void train_step(struct Model *m, int B, int T, float scale, bool add)
{
    const int N = B * T;
    list_words(m, N);
    stream_fwd(m, B, T);
    ln_f_fwd(m, N);
    for (int n = 0; n < N; n += m->chunk) {
        const int rows = chunk_rows(m, n, N);
        chunk_fwd(m, n, rows, scale / N, true);
        chunk_bwd(m, n, rows, add || n > 0);
    }
    mean_loss(m->mixed->mean, m->mixed->losses, N, add);
    stream_bwd(m, B, T, add);
    profile_range(NULL);
}

/* one graph for the whole step */
#ifdef __NVCC__
struct Graph {
    int B, T;
    float scale;
    bool add;
    cudaGraphExec_t exec;           /* NULL: has run once, without */
};
enum { GRAPHS = 4 };
struct Graphs { int n; struct Graph at[GRAPHS]; };

/* find the graph of a step, or make room for it */
static struct Graph *find_graph(struct Graphs *all, int B, int T,
                                float scale, bool add, bool *found)
{
    *found = false;
    for (int i = 0; i < all->n; i++) {
        struct Graph *g = &all->at[i];
        *found = g->B == B && g->T == T && g->scale == scale
              && g->add == add;
        if (*found)
            return g;
    }
    struct Graph *g = &all->at[all->n < GRAPHS ? all->n++ : GRAPHS - 1];
    if (g->exec)
        CUDA_OK(cudaGraphExecDestroy(g->exec));
    *g = { B, T, scale, add, NULL };
    return g;
}

/* capture a step */
static cudaGraphExec_t capture(struct Model *m, const struct Graph *g)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA_OK(cudaStreamBeginCapture(backend_stream,
                                   cudaStreamCaptureModeThreadLocal));
    train_step(m, g->B, g->T, g->scale, g->add);
    CUDA_OK(cudaStreamEndCapture(backend_stream, &graph));
    CUDA_OK(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_OK(cudaGraphDestroy(graph));
    return exec;
}

static void run_step(struct Model *m, int B, int T, float scale, bool add)
{
    bool found;
    struct Graph *g = find_graph(m->mixed->graphs, B, T, scale, add,
                                 &found);
    if (!found || m->options.no_graph || profile_enabled()) {
        train_step(m, B, T, scale, add);
        return;
    }
    if (!g->exec)
        g->exec = capture(m, g);
    CUDA_OK(cudaGraphLaunch(g->exec, backend_stream));
}
#else
struct Graphs { int n; };
static void run_step(struct Model *m, int B, int T, float scale, bool add)
{
    train_step(m, B, T, scale, add);
}
#endif

/* create and free the bf16 body */
static bool can_mix(const struct Model *m, struct Error *e)
{
    const struct Config *c = &m->config;
    const int HS = c->C / c->NH;
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

static bool take_kernels(struct Error *e)
{
    const char *p = getenv("PRODUCT_KERNEL"), *f = getenv("FLASH_KERNEL");
    if (p && !matmul_bf16_use(p))
        return error_set(e, "PRODUCT_KERNEL=%s: this program has no such "
                         "product; try mma or cublas", p);
    if (f && !attention_bf16_use(f))
        return error_set(e, "FLASH_KERNEL=%s: this program has no such "
                         "attention; try mma or hopper", f);
    return true;
}

bool mixed_create(struct Model *m, struct Error *e)
{
    struct Mixed *x = m->mixed;
    if (!can_mix(m, e) || !take_kernels(e))
        return false;
    /* take a stream that can be captured */
    #ifdef __NVCC__
    if (!backend_stream) {
        CUDA_OK(cudaDeviceSynchronize());
        CUDA_OK(cudaStreamCreateWithFlags(&backend_stream,
                                          cudaStreamNonBlocking));
    }
    #endif
    const size_t bytes = x->total * sizeof(bf16);
    mixed_bind(m, (bf16 *)backend_alloc(bytes, "the bf16 weights"));
    backend_zero(x->w.base, bytes);
    x->mean = (double *)backend_alloc(2 * sizeof *x->mean, "the losses");
    x->h_mean = (double *)backend_host_alloc(2 * sizeof *x->mean,
                 "the losses");
    if (m->training)
        x->words = words_create(m->B * m->T);
    x->graphs = (struct Graphs *)calloc(1, sizeof *x->graphs);
    return x->graphs || error_set(e, "no memory for a list of graphs");
}

void mixed_free(struct Model *m)
{
    struct Mixed *x = m->mixed;
    if (!x)
        return;
    backend_free(x->w.base);
    backend_free(x->mean);
    backend_host_free(x->h_mean);
    words_free(x->words);
    /* give back the graphs */
    #ifdef __NVCC__
    for (int i = 0; x->graphs && i < x->graphs->n; i++)
        if (x->graphs->at[i].exec)
            CUDA_OK(cudaGraphExecDestroy(x->graphs->at[i].exec));
    #endif
    free(x->graphs);
}

/* the bf16 weights from and to the host */
void mixed_put(struct Model *m, const real *host)
{
    struct Mixed *x = m->mixed;
    bf16 *to = (bf16 *)calloc(x->total, sizeof *to);
    if (!to)
        fail("no memory for a copy of the bf16 weights");
    for (int i = 0; i < m->table.n; i++) {
        const struct Param *p = &m->table.row[i];
        bf16 *at = to + mixed_offset(m, i);
        #pragma omp parallel for
        for (size_t k = 0; k < p->size; k++)
            at[k] = float_to_bf16(host[p->offset + k]);
    }
    backend_put(x->w.base, to, x->total * sizeof *to);
    free(to);
}

void mixed_get(const struct Model *m, real *host)
{
    struct Mixed *x = m->mixed;
    const size_t bytes = x->total * sizeof(bf16);
    bf16 *from = (bf16 *)backend_borrow(x->w.base, bytes);
    for (int i = 0; i < m->table.n; i++) {
        const struct Param *p = &m->table.row[i];
        const bf16 *at = from + mixed_offset(m, i);
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

void mixed_train(struct Model *m, const int32_t *tokens,
                 const int32_t *targets, int B, int T, real scale,
                 bool accumulate)
{
    assert(m->training);
    send_tokens(m, tokens, B, T);
    send_targets(m, targets, B * T);
    run_step(m, B, T, scale, accumulate);
    backend_get_async(m->mixed->h_mean, m->mixed->mean, sizeof(double));
}

double mixed_train_loss(struct Model *m)
{
    backend_wait();
    return m->mixed->h_mean[0];
}

double mixed_loss(struct Model *m, const int32_t *tokens,
                  const int32_t *targets, int B, int T)
{
    struct Mixed *x = m->mixed;
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

void mixed_logits(struct Model *m, real *logits, const int32_t *tokens,
                  int B, int T)
{
    struct Mixed *x = m->mixed;
    const size_t C = (size_t)m->config.C, V = (size_t)m->config.V;
    send_tokens(m, tokens, B, T);
    stream_fwd(m, B, T);
    bf16 *h = x->h[m->config.L].x;
    for (int b = 1; b <= B; b++)            /* the last of each row */
        backend_copy(h + (size_t)(b - 1) * C, h + ((size_t)b * T - 1) * C,
                     C * sizeof(bf16));
    ln_f_fwd(m, B);
    struct MatmulBf16 p = { };
    p.M = B, p.N = x->Vp, p.K = m->config.C, p.flags = GEMM_TB;
    p.a = x->ln_f, p.b = x->w.wte, p.out = x->last, p.out_float = true;
    matmul_bf16(&p);
    profile_range(NULL);
    for (int b = 0; b < B; b++)
        backend_get(logits + (size_t)b * V, x->last + (size_t)b * x->Vp,
                    V * sizeof *logits);
}
