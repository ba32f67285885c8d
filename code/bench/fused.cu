/* Tangled from chapters/workshop/measuring-a-gpu.nw, "fused: what moves bytes in a step".  Edit it there. */

/* fused: operators that move bytes, checked, then timed beside a copy. */
#include "bench/cuda_bench.cuh"
#include "ops/adamw/adamw.h"
#include "ops/embedding/embedding_bf16.h"
#include "ops/gelu/gelu_bf16.h"
#include "ops/layernorm/layernorm_bf16.h"
#include "ops/linear/bias_grad_bf16.h"
#include "ops/loss/classifier_bf16.h"

enum { RUNS = 31, FIRST_WIDTH = 768 };

/* fused: the memory of all operators */
struct Room {
    int N, C, T, V, Vp, distinct;       /* as in the model; words drawn */
    bf16 *a, *b, *c, *d, *w, *bias;     /* [N][4C] the first four */
    float *mean, *rstd, *dw, *db, *dbias;
    bf16 *logits, *wte, *wpe;
    float *losses, *dwte, *dwpe;
    int32_t *tokens, *h_tokens;
    void *list;                         /* embedding_bf16_index's */
    size_t params;
    float *pw, *pm, *pv, *pg;           /* [params] */
    bf16 *pw16;
    struct AdamwSpan *span;
    int spans;
};

static float h_noise(uint32_t i)
{
    i = (i ^ (i >> 16)) * 0x85ebca6bu;
    i = (i ^ (i >> 13)) * 0xc2b2ae35u;
    return (float)((i ^ (i >> 16)) >> 8) / 16777216.0f;
}

__global__ static void fill16(bf16 *x, size_t n, uint32_t seed, float size)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (; i < n; i += step) {
        uint32_t z = (uint32_t)i * 0x9e3779b9u + seed;
        z = (z ^ (z >> 16)) * 0x85ebca6bu;
        z = (z ^ (z >> 13)) * 0xc2b2ae35u;
        const float u = (float)((z ^ (z >> 16)) >> 8) / 16777216.0f;
        x[i] = float_to_bf16(size * (2 * u - 1));
    }
}

static void fill(bf16 *x, size_t n, uint32_t seed)
{
    fill16<<<1024, 256>>>(x, n, seed, 2);
    CUDA_OK(cudaGetLastError());
}

static bf16 *some16(size_t n, uint32_t seed)
{
    bf16 *x;
    CUDA_OK(cudaMalloc(&x, n * sizeof *x));
    fill(x, n, seed);
    return x;
}

static float *some32(size_t n)
{
    return (float *)random_memory(n * sizeof(float));
}

/* Words whose frequencies fall as 1 / rank; how = 1: all equally often;
 * 2: one word. */
static void draw_tokens(struct Room *r, int how)
{
    bool *seen = (bool *)calloc((size_t)r->V, 1);
    r->distinct = 0;
    for (int n = 0; n < r->N; n++) {
        const double u = h_noise((uint32_t)n + 1);
        const int v = how == 2 ? 11 : how == 1 ? (int)(u * r->V)
                    : (int)(exp(u * log((double)r->V))) - 1;
        r->h_tokens[n] = v;
        r->distinct += !seen[v];
        seen[v] = true;
    }
    free(seen);
    CUDA_OK(cudaMemcpy(r->tokens, r->h_tokens, (size_t)r->N * 4,
                       cudaMemcpyHostToDevice));
    embedding_bf16_index(r->list, r->tokens, r->N, r->V);
}

static void room_open(struct Room *r, int C)
{
    const size_t n = (size_t)r->N * C;
    r->C = C;
    r->a = some16(4 * n, 1);
    r->b = some16(4 * n, 2);
    r->c = some16(4 * n, 3);
    r->d = some16(n, 4);
    r->w = some16(C, 5);
    r->bias = some16(C, 6);
    r->mean = some32(r->N);
    r->rstd = some32(r->N);
    r->dw = some32(4 * C);
    r->db = some32(4 * C);
    r->dbias = some32(4 * C);
    r->wte = some16((size_t)r->V * C, 7);
    r->wpe = some16((size_t)r->T * C, 8);
    r->dwte = some32((size_t)r->V * C);
    r->dwpe = some32((size_t)r->T * C);
}

static void room_close(struct Room *r)
{
    void *all[] = { r->a, r->b, r->c, r->d, r->w, r->bias, r->mean,
                    r->rstd, r->dw, r->db, r->dbias, r->wte, r->wpe,
                    r->dwte, r->dwpe };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        CUDA_OK(cudaFree(all[i]));
}

/* fused: fetch what is to be checked */
/* Row n of a matrix of C columns, or column c of one of N rows, as
 * doubles; the caller frees. */
static double *row16(const bf16 *x, size_t n, int C)
{
    bf16 *h = (bf16 *)malloc((size_t)C * 2);
    double *d = (double *)malloc((size_t)C * sizeof *d);
    CUDA_OK(cudaMemcpy(h, x + n * C, (size_t)C * 2,
                       cudaMemcpyDeviceToHost));
    for (int c = 0; c < C; c++)
        d[c] = bf16_to_float(h[c]);
    free(h);
    return d;
}

static double *column16(const bf16 *x, int N, int C, int c)
{
    bf16 *h = (bf16 *)malloc((size_t)N * 2);
    double *d = (double *)malloc((size_t)N * sizeof *d);
    CUDA_OK(cudaMemcpy2D(h, 2, x + c, (size_t)C * 2, 2, (size_t)N,
                         cudaMemcpyDeviceToHost));
    for (int n = 0; n < N; n++)
        d[n] = bf16_to_float(h[n]);
    free(h);
    return d;
}

static double at32(const float *x, size_t i)
{
    float f;
    CUDA_OK(cudaMemcpy(&f, x + i, 4, cudaMemcpyDeviceToHost));
    return f;
}

static double at16(const bf16 *x, size_t i)
{
    bf16 h;
    CUDA_OK(cudaMemcpy(&h, x + i, 2, cudaMemcpyDeviceToHost));
    return bf16_to_float(h);
}

static void expect(const char *what, double ours, double exact,
                   double allowed)
{
    if (!(fabs(ours - exact) <= allowed))
        fail("%s is %.9g, should be %.9g: no time is given", what, ours,
             exact);
}

static const double UNIT = 1.0 / 128;   /* of a bf16 near 1 */

/* fused: LayerNorm */
static void ln_fwd(struct Room *r)
{
    layernorm_bf16_fwd(r->b, r->mean, r->rstd, r->a, r->w, r->bias, r->N,
                       r->C);
}

static void ln_residual(struct Room *r)
{
    residual_layernorm_bf16_fwd(r->c, r->b, r->mean, r->rstd, r->a, r->d,
                                r->w, r->bias, r->N, r->C);
}

static void ln_bwd(struct Room *r)
{
    layernorm_bf16_bwd(r->b, r->dw, r->db, r->dbias, r->c, r->d, r->a,
                       r->mean, r->rstd, r->w, r->N, r->C, false);
}

static void ln_positions(struct Room *r)
{
    layernorm_bf16_bwd_positions(r->b, r->dw, r->db, r->dwpe, r->c, r->d,
                                 r->a, r->mean, r->rstd, r->w, r->N, r->T,
                                 r->C, false);
}

/* y, in r->b, against x */
static void check_rows(struct Room *r, const bf16 *from)
{
    const int C = r->C;
    double *w = row16(r->w, 0, C), *bias = row16(r->bias, 0, C);
    for (int k = 0; k < 5; k++) {
        const size_t n = (size_t)(r->N - 1) * k / 4;
        double *x = row16(from, n, C), *y = row16(r->b, n, C);
        double m = 0, v = 0;
        for (int c = 0; c < C; c++)
            m += x[c] / C;
        for (int c = 0; c < C; c++)
            v += (x[c] - m) * (x[c] - m) / C;
        for (int c = 0; c < C; c++) {
            const double e = (x[c] - m) / sqrt(v + 1e-5) * w[c] + bias[c];
            expect("LayerNorm", y[c], e, UNIT / 2 * fabs(e) + 1e-4);
        }
        free(x);
        free(y);
    }
    free(w);
    free(bias);
}

static void check_ln_fwd(struct Room *r) { check_rows(r, r->a); }
static void check_residual(struct Room *r) { check_rows(r, r->c); }

/* The sums of two columns over all rows, and dx in one row. */
static void check_ln_bwd(struct Room *r)
{
    const int N = r->N, C = r->C;
    float *m = (float *)malloc((size_t)N * 4);
    float *s = (float *)malloc((size_t)N * 4);
    ln_fwd(r);                          /* mean and rstd of r->a */
    ln_bwd(r);
    CUDA_OK(cudaMemcpy(m, r->mean, N * 4ul, cudaMemcpyDeviceToHost));
    CUDA_OK(cudaMemcpy(s, r->rstd, N * 4ul, cudaMemcpyDeviceToHost));
    for (int c = 3; c < C; c += C - 7) {
        double *dy = column16(r->c, N, C, c), *x = column16(r->a, N, C, c);
        double *dx = column16(r->b, N, C, c), dw = 0, db = 0, dbias = 0;
        for (int n = 0; n < N; n++) {
            dw += dy[n] * (x[n] - m[n]) * s[n];
            db += dy[n];
            dbias += dx[n];
        }
        expect("dw", at32(r->dw, c), dw, 0.01);
        expect("db", at32(r->db, c), db, 0.01);
        expect("dbias", at32(r->dbias, c), dbias, 4);  /* of rounded dx */
        free(dy);
        free(x);
        free(dx);
    }
    const size_t n = N - 1;
    double *dy = row16(r->c, n, C), *x = row16(r->a, n, C), a = 0, p = 0;
    double *dx = row16(r->b, n, C), *res = row16(r->d, n, C);
    double *w = row16(r->w, 0, C);
    for (int c = 0; c < C; c++) {
        a += dy[c] * w[c] / C;
        p += dy[c] * w[c] * (x[c] - m[n]) * s[n] / C;
    }
    for (int c = 0; c < C; c++) {
        const double h = (x[c] - m[n]) * s[n];
        const double e = res[c] + s[n] * (dy[c] * w[c] - a - h * p);
        expect("dx", dx[c], e, UNIT / 2 * fabs(e) + 1e-4);
    }
    void *all[] = { m, s, dy, x, dx, res, w };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* Some positions' sums over all sequences of dx, which has been rounded. */
static void check_positions(struct Room *r)
{
    ln_fwd(r);
    ln_positions(r);
    for (int c = 5; c < r->C; c += r->C / 2) {
        double *dx = column16(r->b, r->N, r->C, c);
        for (int t = 0; t < r->T; t += 93) {
            double sum = 0;
            for (int n = t; n < r->N; n += r->T)
                sum += dx[n];
            expect("a position's gradient",
                   at32(r->dwpe, (size_t)t * r->C + c), sum, 0.25);
        }
        free(dx);
    }
}

/* fused: columns and GELU */
static void columns(struct Room *r)
{
    bias_grad_bf16(r->dw, r->a, r->N, r->C, false);
}

static void columns4(struct Room *r)
{
    bias_grad_bf16(r->dw, r->a, r->N, 4 * r->C, false);
}

static void check_columns_of(struct Room *r, int C)
{
    for (int c = 1; c < C; c += C - 3) {
        double *x = column16(r->a, r->N, C, c), sum = 0;
        for (int n = 0; n < r->N; n++)
            sum += x[n];
        expect("a column's sum", at32(r->dw, c), sum, 0.01);
        free(x);
    }
}

static void check_columns(struct Room *r) { check_columns_of(r, r->C); }
static void check_columns4(struct Room *r)
{
    check_columns_of(r, 4 * r->C);
}

static void gelu_fwd(struct Room *r)
{
    gelu_bf16_fwd(r->b, r->a, 4 * (size_t)r->N * r->C);
}

static void gelu_bwd(struct Room *r)
{
    gelu_bf16_bwd(r->b, r->c, r->a, 4 * (size_t)r->N * r->C);
}

static void check_gelu_at(struct Room *r, bool bwd)
{
    const int C = 4 * r->C;
    for (int k = 0; k < 3; k++) {
        const size_t n = (size_t)(r->N - 1) * k / 2;
        double *x = row16(r->a, n, C), *y = row16(r->b, n, C);
        double *dy = row16(r->c, n, C);
        for (int c = 0; c < C; c++) {
            const double a = 0.044715, u = 0.7978845608028654
                           * (x[c] + a * x[c] * x[c] * x[c]), t = tanh(u);
            const double du = 0.7978845608028654
                            * (1 + 3 * a * x[c] * x[c]);
            const double e = !bwd ? x[c] / 2 * (1 + t)
                : dy[c] * ((1 + t) / 2 + x[c] / 2 * (1 - t * t) * du);
            expect("GELU", y[c], e, UNIT / 2 * fabs(e) + 1e-6);
        }
        free(x);
        free(y);
        free(dy);
    }
}

static void check_gelu_fwd(struct Room *r) { check_gelu_at(r, false); }
static void check_gelu_bwd(struct Room *r) { check_gelu_at(r, true); }

/* fused: the classifier */
static void new_logits(struct Room *r)
{
    fill(r->logits, (size_t)r->N * r->Vp, 9);
}

static void classify(struct Room *r)
{
    classifier_bf16(r->losses, r->logits, r->tokens, 1, r->N, r->V, r->Vp,
                    true);
}

static void classify_loss(struct Room *r)
{
    classifier_bf16(r->losses, r->logits, r->tokens, 1, r->N, r->V, r->Vp,
                    false);
}

/* Row n of new logits, and its loss; returns the sum of exponentials. */
static double check_loss_of(struct Room *r, size_t n, const double *x)
{
    double sum = 0;
    for (int v = 0; v < r->V; v++)
        sum += exp(x[v]);
    expect("a loss", at32(r->losses, n), log(sum) - x[r->h_tokens[n]],
           1e-5);
    return sum;
}

static void check_loss(struct Room *r)
{
    new_logits(r);
    CUDA_OK(cudaMemset(r->losses, 0xff, (size_t)r->N * 4));
    classify_loss(r);
    for (int k = 0; k < 3; k++) {
        const size_t n = (size_t)(r->N - 1) * k / 2;
        double *x = row16(r->logits, n, r->Vp);
        check_loss_of(r, n, x);
        free(x);
    }
}

static void check_classifier(struct Room *r)
{
    const int V = r->V, Vp = r->Vp;
    double *x[3];
    new_logits(r);
    for (int k = 0; k < 3; k++)
        x[k] = row16(r->logits, (size_t)(r->N - 1) * k / 2, Vp);
    classify(r);
    for (int k = 0; k < 3; k++) {
        const size_t n = (size_t)(r->N - 1) * k / 2;
        const double sum = check_loss_of(r, n, x[k]);
        double *d = row16(r->logits, n, Vp);
        for (int v = 0; v < Vp; v++) {
            const double e = v < V ? exp(x[k][v]) / sum
                                   - (v == r->h_tokens[n]) : 0;
            expect("a gradient", d[v], e, UNIT / 2 * fabs(e) + 1e-9);
        }
        free(d);
        free(x[k]);
    }
}

/* fused: the embedding */
static void embed(struct Room *r)
{
    embedding_bf16_fwd(r->a, r->tokens, r->wte, r->wpe, r->N / r->T, r->T,
                       r->C);
}

static void embed_bwd(struct Room *r)
{
    embedding_bf16_bwd(r->dwte, r->c, r->list, r->N, r->C);
}

static void list_words(struct Room *r)
{
    embedding_bf16_index(r->list, r->tokens, r->N, r->V);
}

static void check_embed(struct Room *r)
{
    for (int n = 0; n < r->N; n += r->N / 5) {
        double *x = row16(r->a, n, r->C);
        double *e = row16(r->wte, r->h_tokens[n], r->C);
        double *p = row16(r->wpe, n % r->T, r->C);
        for (int c = 0; c < r->C; c++)
            expect("an embedding", x[c], e[c] + p[c], UNIT * 2);
        free(x);
        free(e);
        free(p);
    }
}

static void clear_embed(struct Room *r)
{
    CUDA_OK(cudaMemset(r->dwte, 0, (size_t)r->V * r->C * 4));
}

/* Three columns of the gradients of all words. */
static void check_embed_bwd(struct Room *r)
{
    clear_embed(r);
    embed_bwd(r);
    double *e = (double *)malloc((size_t)r->V * sizeof *e);
    float *h = (float *)malloc((size_t)r->V * 4);
    for (int c = 0; c < r->C; c += r->C / 2 - 1) {
        double *dx = column16(r->c, r->N, r->C, c);
        memset(e, 0, (size_t)r->V * sizeof *e);
        for (int n = 0; n < r->N; n++)
            e[r->h_tokens[n]] += dx[n];
        CUDA_OK(cudaMemcpy2D(h, 4, r->dwte + c, (size_t)r->C * 4, 4,
                             (size_t)r->V, cudaMemcpyDeviceToHost));
        for (int v = 0; v < r->V; v++)
            expect("a word's gradient", h[v], e[v], 0.02);
        free(dx);
    }
    free(e);
    free(h);
}

/* fused: the optimiser */
static void add_span(struct Room *r, size_t size, bool decays)
{
    static size_t at16;
    r->span[r->spans++] = (struct AdamwSpan){ r->params, size, at16,
                                              decays };
    r->params += (size + 15) / 16 * 16;
    at16 += (size + 63) / 64 * 64;
}

/* Floats from low to high in place of random bits, whose exponents are of
 * all sizes: roots and quotients of the smallest take a longer way. */
__global__ static void spread(float *x, size_t n, float low, float high)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += (size_t)gridDim.x * blockDim.x)
        x[i] = low + (high - low)
                   * (float)(__float_as_uint(x[i]) & 0xffffff) / 16777216;
}

static float *some_between(size_t n, float low, float high)
{
    float *x = some32(n);
    spread<<<1024, 256>>>(x, n, low, high);
    CUDA_OK(cudaGetLastError());
    return x;
}

static void gpt2_spans(struct Room *r)
{
    const size_t C = 768, V = (size_t)r->V, T = 1024;
    r->span = (struct AdamwSpan *)malloc(160 * sizeof *r->span);
    add_span(r, V * C, true);
    add_span(r, T * C, true);
    for (int l = 0; l < 12; l++) {
        const size_t size[] = { C, C, 3 * C * C, 3 * C, C * C, C, C, C,
                                4 * C * C, 4 * C, 4 * C * C, C };
        for (int i = 0; i < 12; i++)
            add_span(r, size[i], size[i] >= C * C);
    }
    add_span(r, C, false);
    add_span(r, C, false);
    r->pw = some_between(r->params, 0.25f, 1);
    r->pm = some_between(r->params, -1, 1);
    r->pv = some_between(r->params, 0, 1);
    r->pg = some_between(r->params, -1, 1);
    r->pw16 = some16(r->params + 64 * 160, 1);
}

static struct AdamwStep a_step(void)
{
    struct AdamwStep s = {};
    s.lr = 1e-3, s.beta1 = 0.9, s.beta2 = 0.95, s.eps = 1e-8;
    s.decay = 0.1, s.scale = 0.5, s.step = 7, s.seed = 42;
    return s;
}

static void adamw(struct Room *r)
{
    const struct AdamwStep s = a_step();
    adamw_all(r->pw, r->pw16, r->pm, r->pv, r->pg, r->span, r->spans, &s);
}

static void adamw_alone(struct Room *r)
{
    const struct AdamwStep s = a_step();
    adamw_all(NULL, r->pw16, r->pm, r->pv, r->pg, r->span, r->spans, &s);
}

static void norm(struct Room *r)
{
    volatile double sum = sum_squares(r->pg, r->params);
    (void)sum;
}

static void check_norm(struct Room *r)
{
    float *h = (float *)malloc(r->params * 4);
    double sum = 0;
    CUDA_OK(cudaMemcpy(h, r->pg, r->params * 4, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < r->params; i++)
        sum += (double)h[i] * h[i];
    expect("the norm", sum_squares(r->pg, r->params), sum, 1e-9 * sum);
    free(h);
}

/* The middle and the ends of some tensors; alone: of weights in bf16, which
 * may have been rounded up or down. */
static void check_adamw_of(struct Room *r, bool alone)
{
    const struct AdamwStep s = a_step();
    double before[8][4];
    size_t at[8], half[8];
    for (int k = 0; k < 8; k++) {
        const struct AdamwSpan *a = &r->span[k * (r->spans - 1) / 7];
        const size_t i = k % 3 == 0 ? 0 : (a->size - 1) / (k % 3);
        const float *of[] = { r->pw, r->pm, r->pv, r->pg };
        at[k] = a->offset + i, half[k] = a->offset16 + i;
        for (int j = 0; j < 4; j++)
            before[k][j] = at32(of[j], at[k]);
        if (alone)
            before[k][0] = at16(r->pw16, half[k]);
    }
    (alone ? adamw_alone : adamw)(r);
    for (int k = 0; k < 8; k++) {
        const double *b = before[k], g = b[3] * s.scale;
        const double m = s.beta1 * b[1] + (1 - s.beta1) * g;
        const double v = s.beta2 * b[2] + (1 - s.beta2) * g * g;
        const double decay = r->span[k * (r->spans - 1) / 7].decays
                           ? s.decay : 0;
        const double w = b[0] - s.lr * (decay * b[0]
            + m / (1 - pow(s.beta1, 7))
              / (sqrt(v / (1 - pow(s.beta2, 7))) + s.eps));
        if (alone)
            expect("a weight", at16(r->pw16, half[k]), w,
                   UNIT * fabs(w) + 1e-6);
        else
            expect("a weight", at32(r->pw, at[k]), w, 1e-6 * fabs(w));
        expect("a moment", at32(r->pm, at[k]), m, 1e-6);
        expect("a moment", at32(r->pv, at[k]), v, 1e-6);
    }
}

static void check_adamw(struct Room *r) { check_adamw_of(r, false); }
static void check_adamw_alone(struct Room *r) { check_adamw_of(r, true); }

/* fused: time a case beside a copy */
struct Case {
    const char *name;
    void (*run)(struct Room *r), (*check)(struct Room *r);
    double bytes;
    void (*prepare)(struct Room *r);    /* before each run; or NULL */
};

static struct Sample time_case(const struct Case *c, struct Room *r,
                               void *to, const void *from)
{
    struct Sample t = {};
    cudaEvent_t start, end;
    CUDA_OK(cudaEventCreate(&start));
    CUDA_OK(cudaEventCreate(&end));
    for (int i = -3; i < RUNS; i++) {
        float ms;
        if (c->prepare && !to)
            c->prepare(r);
        flush_l2(i);
        CUDA_OK(cudaEventRecord(start, 0));
        if (to)
            CUDA_OK(cudaMemcpyAsync(to, from, (size_t)(c->bytes / 2),
                                    cudaMemcpyDeviceToDevice, 0));
        else
            c->run(r);
        CUDA_OK(cudaEventRecord(end, 0));
        CUDA_OK(cudaEventSynchronize(end));
        CUDA_OK(cudaEventElapsedTime(&ms, start, end));
        if (i >= 0)
            sample_add(&t, ms / 1e3);
    }
    CUDA_OK(cudaEventDestroy(start));
    CUDA_OK(cudaEventDestroy(end));
    return t;
}

static void run_case(const struct Case *c, struct Room *r)
{
    static void *to, *from;
    if (!to) {
        to = random_memory((size_t)7 << 30);
        from = random_memory((size_t)7 << 30);
    }
    if (c->prepare)
        c->prepare(r);
    c->run(r);
    CUDA_OK(cudaDeviceSynchronize());
    c->check(r);
    struct Sample copy = time_case(c, r, to, from);
    struct Sample t = time_case(c, r, NULL, NULL);
    const double us = 1e6 * median(&t), copy_us = 1e6 * median(&copy);
    printf("%-22s %9.1f MB %8.1f us %8.1f -%8.1f %6.2f TB/s %5.1f %% of "
           "%6.2f\n", c->name, c->bytes / 1e6, us, 1e6 * fastest(&t),
           1e6 * slowest(&t), c->bytes / us / 1e6, 100 * copy_us / us,
           c->bytes / copy_us / 1e6);
    fflush(stdout);
    number_put(&numbers, "MB", c->bytes / 1e6, "fused.%s.bytes", c->name);
    number_put(&numbers, "us", us, "fused.%s.us", c->name);
    number_put(&numbers, "us", 1e6 * fastest(&t), "fused.%s.fastest",
               c->name);
    number_put(&numbers, "us", 1e6 * slowest(&t), "fused.%s.slowest",
               c->name);
    number_put(&numbers, "us", copy_us, "fused.%s.copy", c->name);
    number_put(&numbers, "TB/s", c->bytes / us / 1e6, "fused.%s.rate",
               c->name);
    number_put(&numbers, "%", 100 * copy_us / us, "fused.%s.percent",
               c->name);
}

/* fused: the cases */
/* Those of each width; their names end with it, unless it is the first. */
static void cases_of_width(struct Room *r, int width)
{
    const double N = r->N, T = r->T, C = width, words = r->distinct * C;
    const struct Case cases[] = {
        /* what is timed at each width */
        { "layernorm-fwd", ln_fwd, check_ln_fwd, 4 * N * C + 8 * N, NULL },
        { "residual-layernorm", ln_residual, check_residual, 8 * N * C + 8 * N,
          NULL },
        { "layernorm-bwd", ln_bwd, check_ln_bwd, 8 * N * C + 8 * N, NULL },
        { "columns", columns, check_columns, 2 * N * C, NULL },
        { "columns-4C", columns4, check_columns4, 8 * N * C, NULL },
        { "embedding-fwd", embed, check_embed,
          2 * N * C + 2 * words + 2 * T * C + 4 * N, NULL },
        { "embedding-bwd", embed_bwd, check_embed_bwd,
          2 * N * C + 8 * words + 4 * N, clear_embed },
        { "layernorm-bwd-positions", ln_positions, check_positions,
          8 * N * C + 8 * N + 4 * T * C, NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct Case c = cases[i];
        char name[40];
        snprintf(name, sizeof name, "%s-%d", c.name, width);
        if (width != FIRST_WIDTH)
            c.name = name;
        run_case(&c, r);
    }
}

static void cases_of_first_width(struct Room *r)
{
    const double N = r->N, C = FIRST_WIDTH, V = r->V, Vp = r->Vp;
    CUDA_OK(cudaMalloc(&r->logits, (size_t)(N * Vp) * 2));
    CUDA_OK(cudaMalloc(&r->losses, (size_t)N * 4));
    gpt2_spans(r);
    const double P = (double)r->params;
    const struct Case cases[] = {
        { "gelu-fwd", gelu_fwd, check_gelu_fwd, 16 * N * C, NULL },
        { "gelu-bwd", gelu_bwd, check_gelu_bwd, 24 * N * C, NULL },
        { "classifier", classify, check_classifier, 4 * N * Vp,
          new_logits },
        { "classifier-loss", classify_loss, check_loss, 2 * N * V,
          new_logits },
        { "adamw", adamw, check_adamw, 30 * P, NULL },
        { "adamw-alone", adamw_alone, check_adamw_alone, 24 * P, NULL },
        { "norm", norm, check_norm, 4 * P, NULL },
        { "embedding-list", list_words, check_embed_bwd, 8 * N, NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        run_case(&cases[i], r);
    CUDA_OK(cudaFree(r->logits));
}

static void cases_of_words(struct Room *r)
{
    const char *how[] = { "embedding-bwd-even", "embedding-bwd-one" };
    for (int i = 0; i < 2; i++) {
        draw_tokens(r, i + 1);
        const double N = r->N, C = FIRST_WIDTH;
        const struct Case c = { how[i], embed_bwd, check_embed_bwd,
            2 * N * C + 8 * r->distinct * C + 4 * N, clear_embed };
        run_case(&c, r);
    }
    draw_tokens(r, 0);
}

int main(int argc, char **argv)
{
    lab_open(argc, argv, "Time the operators that move bytes.");
    /* fused: all cases */
    struct Room r = {};
    r.N = 65536, r.T = 1024, r.V = 50257, r.Vp = 50304;
    CUDA_OK(cudaMalloc(&r.tokens, (size_t)r.N * 4));
    CUDA_OK(cudaMalloc(&r.list, embedding_bf16_index_size(r.N)));
    r.h_tokens = (int32_t *)malloc((size_t)r.N * 4);
    draw_tokens(&r, 0);
    const int widths[] = { FIRST_WIDTH, 1024, 1280 };
    for (int width : widths) {
        room_open(&r, width);
        cases_of_width(&r, width);
        if (width == FIRST_WIDTH) {
            cases_of_first_width(&r);
            cases_of_words(&r);
        }
        room_close(&r);
    }
    lab_close_operators();
    return 0;
}
