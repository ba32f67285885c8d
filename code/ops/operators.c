/* Tangled from chapters/workshop/gpu-model.nw, "The table of operators".  Edit it there. */

/* A call of an operator is a call of the current backend's. */
#include "ops/operators.h"

#include <math.h>

#define RUN(name, params, args)                                         \
    void name params                                                    \
    {                                                                   \
        const struct Backend *here = backend_current();                 \
        if (!here->failed)                                              \
            here->ops->name args;                                       \
    }
#define ASK(type, name, params, args) \
    type name params { return backend_current()->ops->name args; }

/* hand the operators on */
RUN(embedding_fwd, (real *x, const int32_t *tokens, const real *wte,
    const real *wpe, int B, int T, int C), (x, tokens, wte, wpe, B, T, C))
RUN(embedding_bwd, (real *dwte, real *dwpe, const real *dx, const
    int32_t *tokens, int B, int T, int C), (dwte, dwpe, dx, tokens, B, T,
    C))
RUN(layernorm_fwd, (real *y, real *mean, real *rstd, const real *x,
    const real *w, const real *b, int N, int C), (y, mean, rstd, x, w, b, N,
    C))
RUN(layernorm_bwd, (real *dx, real *dw, real *db, const real *dy,
    const real *x, const real *mean, const real *rstd, const real *w, int N,
    int C), (dx, dw, db, dy, x, mean, rstd, w, N, C))
ASK(const char *, gemm_kernel, (int i), (i))
ASK(bool, gemm_use, (const char *name), (name))
ASK(const char *, gemm_used, (void), ())
RUN(gemm, (real *c, const real *a, const real *b, int M, int N, int K,
    int flags), (c, a, b, M, N, K, flags))
RUN(gemm_bias, (real *c, const real *a, const real *b, const real
    *bias, int M, int N, int K, int flags), (c, a, b, bias, M, N, K, flags))
RUN(gemm_strided, (real *c, size_t ldc, const real *a, size_t lda,
    const real *b, size_t ldb, const real *bias, int M, int N, int K, int
    flags), (c, ldc, a, lda, b, ldb, bias, M, N, K, flags))

RUN(gemm_sumsq, (real *c, const real *a, const real *b, int M, int N,
    int K, int flags, double *sumsq), (c, a, b, M, N, K, flags, sumsq))
RUN(bias_grad, (real *db, const real *dy, int N, int OC, bool
    accumulate), (db, dy, N, OC, accumulate))
RUN(attention_fwd, (real *y, real *lse, const real *qkv, int B, int T,
    int C, int NH), (y, lse, qkv, B, T, C, NH))
RUN(attention_bwd, (real *dqkv, const real *dy, const real *qkv, const
    real *y, const real *lse, int B, int T, int C, int NH), (dqkv, dy, qkv,
    y, lse, B, T, C, NH))
RUN(attention_cached, (real *y, const struct Cache *cache, const real
    *qkv, const int32_t *row, const int32_t *at, int N, int C, int NH),
    (y, cache, qkv, row, at, N, C, NH))
RUN(quantised_linear, (real *y, const real *x, const struct Quantised
    *q, const real *b, int M), (y, x, q, b, M))
RUN(residual_fwd, (real *y, const real *a, const real *b, size_t n),
    (y, a, b, n))
RUN(gelu_fwd, (real *y, const real *x, size_t n), (y, x, n))
RUN(gelu_bwd, (real *dx, const real *dy, const real *x, size_t n),
    (dx, dy, x, n))
RUN(crossentropy_fwd, (real *loss, real *lse, const real *logits,
    const int32_t *targets, int N, int V, int Vp), (loss, lse, logits,
    targets, N, V, Vp))
RUN(crossentropy_bwd, (real *dlogits, const real *logits, const real
    *lse, const int32_t *targets, real scale, int N, int V, int Vp),
    (dlogits, logits, lse, targets, scale, N, V, Vp))
RUN(adamw_update, (real *w, real *m, real *v, const real *g, size_t n,
    const struct AdamwStep *s), (w, m, v, g, n, s))
RUN(adamw_all, (real *w, bf16 *w16, real *m, real *v, const real *g,
    const struct AdamwSpan *span, int spans, const struct AdamwStep *s), (w,
    w16, m, v, g, span, spans, s))
ASK(double, backend_peak, (const char *precision, double seconds, char
    *source, size_t size), (precision, seconds, source, size))
ASK(double, backend_peak_gflops, (double seconds), (seconds))

RUN(embedding_bf16_fwd, (bf16 *x, const int32_t *tokens, const bf16
    *wte, const bf16 *wpe, int B, int T, int C), (x, tokens, wte, wpe, B, T,
    C))
ASK(size_t, embedding_bf16_index_size, (int N), (N))
RUN(embedding_bf16_index, (void *list, const int32_t *tokens, int N,
    int V), (list, tokens, N, V))
RUN(embedding_bf16_bwd, (float *dwte, const bf16 *dx, const void
    *list, int N, int C), (dwte, dx, list, N, C))
RUN(layernorm_bf16_fwd, (bf16 *y, float *mean, float *rstd, const bf16
    *x, const bf16 *w, const bf16 *b, int N, int C), (y, mean, rstd, x, w,
    b, N, C))
RUN(layernorm_bf16_bwd, (bf16 *dx, float *dw, float *db, float *dbias,
    const bf16 *dy, const bf16 *dres, const bf16 *x, const float *mean,
    const float *rstd, const bf16 *w, int N, int C, bool accumulate), (dx,
    dw, db, dbias, dy, dres, x, mean, rstd, w, N, C, accumulate))
RUN(layernorm_bf16_bwd_positions, (bf16 *dx, float *dw, float *db,
    float *dwpe, const bf16 *dy, const bf16 *dres, const bf16 *x, const
    float *mean, const float *rstd, const bf16 *w, int N, int T, int C, bool
    accumulate), (dx, dw, db, dwpe, dy, dres, x, mean, rstd, w, N, T, C,
    accumulate))
RUN(gelu_bf16_fwd, (bf16 *y, const bf16 *x, size_t n), (y, x, n))
RUN(matmul_bf16, (const struct MatmulBf16 *p), (p))
ASK(bool, matmul_bf16_use, (const char *name), (name))
RUN(attention_bf16_fwd, (bf16 *y, float *lse, const bf16 *qkv, int B,
    int T, int C, int NH), (y, lse, qkv, B, T, C, NH))
RUN(attention_bf16_bwd, (bf16 *dqkv, float *dbias, const bf16 *dy,
    const bf16 *qkv, const bf16 *y, const float *lse, int B, int T, int C,
    int NH, bool accumulate), (dqkv, dbias, dy, qkv, y, lse, B, T, C, NH,
    accumulate))
ASK(bool, attention_bf16_use, (const char *name), (name))
RUN(classifier_bf16, (float *losses, bf16 *logits, const int32_t
    *targets, float scale, int N, int V, int Vp, bool gradient), (losses,
    logits, targets, scale, N, V, Vp, gradient))
ASK(int, token_blocks, (const struct TokenModel *m), (m))
ASK(size_t, token_weights_bytes, (const struct TokenModel *m), (m))
ASK(size_t, token_vectors_bytes, (const struct TokenModel *m), (m))
ASK(size_t, token_cache_bytes, (const struct TokenModel *m), (m))
ASK(size_t, token_work_bytes, (const struct TokenModel *m), (m))
RUN(token_pack, (const struct TokenModel *m, int l, enum TokenMatrix
    which, const bf16 *w), (m, l, which, w))
RUN(token_run, (const struct TokenModel *m, float *logits, const
    int32_t *ids, int n), (m, logits, ids, n))
RUN(mean_loss, (double *mean, const float *loss, int N, bool add),
    (mean, loss, N, add))

double sum_squares(const real *g, size_t n)
{
    const struct Backend *here = backend_current();
    return here->failed ? NAN : here->ops->sum_squares(g, n);
}
