/* Every operator in bf16 that moves bytes, once, at a small size of the
 * right width; tests/fused_counts.sh reads what the software GPU reports.
 * The numbers in memory do not matter, the tokens do. */
#include <stdint.h>
#include <stdlib.h>
#include "ops/adamw/adamw.h"
#include "ops/loss/classifier_bf16.h"
#include "ops/linear/bias_grad_bf16.h"
#include "ops/embedding/embedding_bf16.h"
#include "ops/gelu/gelu_bf16.h"
#include "ops/layernorm/layernorm_bf16.h"
#include "backend/backend.h"

enum { B = 8, T = 64, N = B * T, C = 768, V = 5003, VP = 5008,
       ROWS = 4 * N, MANY = 1 << 20 };

static void *zeros(size_t bytes)
{
    void *p = backend_alloc(bytes, "a count");
    backend_zero(p, bytes);
    return p;
}

int main(void)
{
    static int32_t tokens[N];
    for (int i = 0; i < N; i++)         /* every fourth the same one */
        tokens[i] = i % 4 ? i * 7 % V : 3;
    int32_t *t = zeros(sizeof tokens);
    backend_put(t, tokens, sizeof tokens);
    bf16 *x = zeros(N * 4 * C * 2), *y = zeros(N * 4 * C * 2);
    bf16 *z = zeros(ROWS * C * 2), *w = zeros(2 * C * 2);
    bf16 *logits = zeros((size_t)N * VP * 2), *wte = zeros((size_t)V * C * 2);
    bf16 *w16 = zeros(MANY * 2);
    float *stat = zeros(2 * ROWS * 4), *d = zeros(3 * C * 4);
    float *dwte = zeros((size_t)V * C * 4), *p = zeros((size_t)MANY * 4);
    float *m = zeros((size_t)MANY * 4), *v = zeros((size_t)MANY * 4);
    float *g = zeros((size_t)MANY * 4);
    const struct AdamwStep s = { .lr = 1e-3, .beta1 = 0.9, .beta2 = 0.95,
                                 .eps = 1e-8, .scale = 1, .step = 1 };
    const struct AdamwSpan span = { 0, MANY, 0, true };
    layernorm_bf16_fwd(y, stat, stat + N, x, w, w + C, N, C);
    residual_layernorm_bf16_fwd(z, y, stat, stat + N, x, z, w, w + C, N, C);
    layernorm_bf16_bwd(z, d, d + C, d + 2 * C, y, z, x, stat, stat + N, w, N,
                       C, false);
    bias_grad_bf16(d, x, N, C, false);
    gelu_bf16_fwd(y, x, (size_t)N * 4 * C);
    gelu_bf16_bwd(y, y, x, (size_t)N * 4 * C);
    classifier_bf16(stat, logits, t, 1, N, V, VP, true);
    embedding_bf16_fwd(x, t, wte, wte, B, T, C);
    void *list = zeros(embedding_bf16_index_size(N));
    embedding_bf16_index(list, t, N, V);
    embedding_bf16_bwd(dwte, x, list, N, C);
    adamw_all(p, w16, m, v, g, &span, 1, &s);
    sum_squares(g, MANY);
    /* a row for each warp, and some rows more: the difference is what a
     * row costs */
    for (int rows = 1584; rows <= ROWS; rows += ROWS - 1584)
        layernorm_bf16_bwd(z, d, d + C, d + 2 * C, y, z, x, stat, stat + ROWS,
                           w, rows, C, false);
    /* GPT-2 XL has 580 tensors: one launch, which fused_counts.sh counts */
    struct AdamwSpan tensors[580];
    for (int i = 0; i < 580; i++)
        tensors[i] = (struct AdamwSpan){ (size_t)i * 64, 33,
                                         (size_t)i * 64, i % 3 == 0 };
    adamw_all(p, w16, m, v, g, tensors, 580, &s);
    void *all[] = { list, t, x, y, z, w, logits, wte, w16, stat, d, dwte, p, m, v,
                    g };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        backend_free(all[i]);
    return 0;
}
