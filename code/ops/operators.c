/* Tangled from chapters/workshop/gpu-model.nw, "The table of operators".  Edit it there. */

/* A call of an operator is a call of the current backend's. */
#include "ops/operators.h"

#define RUN(type, name, params, args) \
    type name params { return backend_current()->ops->name args; }

/* hand the operators on */
RUN(void, embedding_fwd, (real *x, const int32_t *tokens, const real *wte,
    const real *wpe, int B, int T, int C), (x, tokens, wte, wpe, B, T, C))
RUN(void, embedding_bwd, (real *dwte, real *dwpe, const real *dx, const
    int32_t *tokens, int B, int T, int C), (dwte, dwpe, dx, tokens, B, T,
    C))
RUN(void, layernorm_fwd, (real *y, real *mean, real *rstd, const real *x,
    const real *w, const real *b, int N, int C), (y, mean, rstd, x, w, b, N,
    C))
RUN(void, layernorm_bwd, (real *dx, real *dw, real *db, const real *dy,
    const real *x, const real *mean, const real *rstd, const real *w, int N,
    int C), (dx, dw, db, dy, x, mean, rstd, w, N, C))
RUN(const char *, gemm_kernel, (int i), (i))
RUN(bool, gemm_use, (const char *name), (name))
RUN(const char *, gemm_used, (void), ())
RUN(void, gemm, (real *c, const real *a, const real *b, int M, int N, int K,
    int flags), (c, a, b, M, N, K, flags))
RUN(void, gemm_bias, (real *c, const real *a, const real *b, const real
    *bias, int M, int N, int K, int flags), (c, a, b, bias, M, N, K, flags))
RUN(void, gemm_strided, (real *c, size_t ldc, const real *a, size_t lda,
    const real *b, size_t ldb, const real *bias, int M, int N, int K, int
    flags), (c, ldc, a, lda, b, ldb, bias, M, N, K, flags))

RUN(void, gemm_sumsq, (real *c, const real *a, const real *b, int M, int N,
    int K, int flags, double *squares), (c, a, b, M, N, K, flags, squares))
RUN(void, bias_grad, (real *db, const real *dy, int N, int OC, bool
    accumulate), (db, dy, N, OC, accumulate))
RUN(void, attention_fwd, (real *y, real *lse, const real *qkv, int B, int T,
    int C, int NH), (y, lse, qkv, B, T, C, NH))
RUN(void, attention_bwd, (real *dqkv, const real *dy, const real *qkv, const
    real *y, const real *lse, int B, int T, int C, int NH), (dqkv, dy, qkv,
    y, lse, B, T, C, NH))
RUN(void, residual_fwd, (real *y, const real *a, const real *b, size_t n),
    (y, a, b, n))
RUN(void, gelu_fwd, (real *y, const real *x, size_t n), (y, x, n))
RUN(void, gelu_bwd, (real *dx, const real *dy, const real *x, size_t n),
    (dx, dy, x, n))
RUN(void, crossentropy_fwd, (real *loss, real *lse, const real *logits,
    const int32_t *targets, int N, int V, int Vp), (loss, lse, logits,
    targets, N, V, Vp))
RUN(void, crossentropy_bwd, (real *dlogits, const real *logits, const real
    *lse, const int32_t *targets, real scale, int N, int V, int Vp),
    (dlogits, logits, lse, targets, scale, N, V, Vp))
RUN(void, adamw_update, (real *w, real *m, real *v, const real *g, size_t n,
    const struct AdamwStep *s), (w, m, v, g, n, s))
RUN(void, adamw_all, (real *w, bf16 *w16, real *m, real *v, const real *g,
    const struct AdamwSpan *span, int spans, const struct AdamwStep *s), (w,
    w16, m, v, g, span, spans, s))
RUN(double, sum_squares, (const real *g, size_t n), (g, n))
RUN(double, backend_peak, (const char *precision, double seconds, char
    *source, size_t size), (precision, seconds, source, size))
RUN(double, backend_peak_gflops, (double seconds), (seconds))

RUN(void, embedding_bf16_fwd, (bf16 *x, const int32_t *tokens, const bf16
    *wte, const bf16 *wpe, int B, int T, int C), (x, tokens, wte, wpe, B, T,
    C))
RUN(size_t, embedding_bf16_index_size, (int N), (N))
RUN(void, embedding_bf16_index, (void *list, const int32_t *tokens, int N,
    int V), (list, tokens, N, V))
RUN(void, embedding_bf16_bwd, (float *dwte, const bf16 *dx, const void
    *list, int N, int C), (dwte, dx, list, N, C))
RUN(void, layernorm_bf16_fwd, (bf16 *y, float *mean, float *rstd, const bf16
    *x, const bf16 *w, const bf16 *b, int N, int C), (y, mean, rstd, x, w,
    b, N, C))
RUN(void, layernorm_bf16_bwd, (bf16 *dx, float *dw, float *db, float *dbias,
    const bf16 *dy, const bf16 *dres, const bf16 *x, const float *mean,
    const float *rstd, const bf16 *w, int N, int C, bool accumulate), (dx,
    dw, db, dbias, dy, dres, x, mean, rstd, w, N, C, accumulate))
RUN(void, layernorm_bf16_bwd_positions, (bf16 *dx, float *dw, float *db,
    float *dwpe, const bf16 *dy, const bf16 *dres, const bf16 *x, const
    float *mean, const float *rstd, const bf16 *w, int N, int T, int C, bool
    accumulate), (dx, dw, db, dwpe, dy, dres, x, mean, rstd, w, N, T, C,
    accumulate))
RUN(void, gelu_bf16_fwd, (bf16 *y, const bf16 *x, size_t n), (y, x, n))
RUN(void, matmul_bf16, (const struct MatmulBf16 *p), (p))
RUN(bool, matmul_bf16_use, (const char *name), (name))
RUN(void, attention_bf16_fwd, (bf16 *y, float *lse, const bf16 *qkv, int B,
    int T, int C, int NH), (y, lse, qkv, B, T, C, NH))
RUN(void, attention_bf16_bwd, (bf16 *dqkv, float *dbias, const bf16 *dy,
    const bf16 *qkv, const bf16 *y, const float *lse, int B, int T, int C,
    int NH, bool accumulate), (dqkv, dbias, dy, qkv, y, lse, B, T, C, NH,
    accumulate))
RUN(bool, attention_bf16_use, (const char *name), (name))
RUN(void, classifier_bf16, (float *losses, bf16 *logits, const int32_t
    *targets, float scale, int N, int V, int Vp, bool gradient), (losses,
    logits, targets, scale, N, V, Vp, gradient))
RUN(void, mean_loss, (double *mean, const float *loss, int N, bool add),
    (mean, loss, N, add))
