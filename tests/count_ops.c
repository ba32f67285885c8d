/* Every operator once, at the size of the table in the chapter on the
 * operators on the GPU; tests/gpu_counts.sh reads what the software GPU
 * reports of it.  The numbers in memory do not matter, the tokens do. */
#include <stdint.h>
#include <stdlib.h>
#include "ops/adamw/adamw.h"
#include "ops/attention/attention.h"
#include "ops/loss/crossentropy.h"
#include "ops/embedding/embedding.h"
#include "ops/gelu/gelu.h"
#include "ops/layernorm/layernorm.h"
#include "ops/linear/linear.h"
#include "backend/backend.h"
#include "ops/matmul/matmul.h"
#include "ops/residual/residual.h"

enum { B = 2, T = 64, N = B * T, C = 128, NH = 2, V = 512 };

/* n numbers between -1 and 1 */
static real *numbers(size_t n)
{
    real *p = backend_alloc(n * sizeof *p, "a count");
    real *host = malloc(n * sizeof *p);
    for (size_t i = 0; i < n; i++)
        host[i] = (real)((double)(i * 2654435761u % 1024) / 512 - 1);
    backend_put(p, host, n * sizeof *p);
    free(host);
    return p;
}

int main(void)
{
    static int32_t tokens[N];
    for (int i = 0; i < N; i++)         /* every fourth the same one */
        tokens[i] = i % 4 ? i * 7 % V : 3;
    int32_t *t = backend_alloc(sizeof tokens, "a count");
    backend_put(t, tokens, sizeof tokens);
    real *x = numbers(N * C), *y = numbers(N * 4 * C), *z = numbers(N * V);
    real *w = numbers(V * C), *b = numbers(4 * C), *stat = numbers(2 * N * NH);
    real *qkv = numbers(N * 3 * C), *dqkv = numbers(N * 3 * C);
    const struct AdamwStep s = { .lr = 1e-3, .beta1 = 0.9, .beta2 = 0.95,
                                 .eps = 1e-8, .scale = 1, .step = 1 };
    embedding_fwd(x, t, w, z, B, T, C);
    embedding_bwd(w, z, x, t, B, T, C);
    layernorm_fwd(y, stat, stat + N, x, b, b + C, N, C);
    layernorm_bwd(x, b, b + C, y, z, stat, stat + N, b + 2 * C, N, C);
    residual_fwd(x, x, y, N * C);
    gelu_fwd(z, y, N * 4 * C);
    gelu_bwd(y, y, z, N * 4 * C);
    gemm(y, x, w, N, 4 * C, C, 0);
    gemm(x, y, w, N, C, 4 * C, GEMM_TB);
    gemm(w, x, y, C, 4 * C, N, GEMM_TA);
    linear_bwd(NULL, w, b, y, x, NULL, N, C, 4 * C, false, NULL);
    attention_fwd(x, stat, qkv, B, T, C, NH);
    attention_bwd(dqkv, y, qkv, x, stat, B, T, C, NH);
    crossentropy_fwd(stat, stat + N, z, t, N, V, V);
    crossentropy_bwd(z, z, stat + N, t, 1, N, V, V);
    adamw_update(x, y, z, w, N * C, &s);
    sum_squares(w, V * C);
    real *all[] = { x, y, z, w, b, stat, qkv, dqkv };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        backend_free(all[i]);
    backend_free(t);
    return 0;
}
