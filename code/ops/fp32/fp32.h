/* Tangled from chapters/workshop/matmul-plumbing.nw, "Operators on floats".  Edit it there. */

/* fp32.h: faster implementations of the operators in fp32, for those on
 * a GPU, which ask here first, and for whoever chooses. */
#ifndef OPS_FP32_FP32_H
#define OPS_FP32_FP32_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/real.h"

C_FUNCTIONS_BEGIN

/* choose how floats are computed with */
/* "simple": the first versions, with the same bits on every machine that
 * has them; "tf32": attention on tensor cores, operands of 11 bits;
 * "3xtf32": the same, operands of 22 bits in two parts.  With the latter
 * two GELU and the loss use the special function units, too, and sums
 * over rows are taken in another order.  False if this program has no
 * such implementations.  Unless called: "simple". */
bool fp32_mode_set(const char *name);

/* How many products make one: 0 (simple), 1 or 3. */
int fp32_terms(void);

/* the faster implementations */
/* Each as the function of its name without floats_, or it returns false
 * and has done nothing: "simple" is in use, or it cannot.  Attention needs
 * heads of 32, 64, 80 or 128 channels and sm_80;
 * delta[b,h,t] = dy . y of that head's row.  Rows of logits lie Vp apart,
 * and what of them is behind V becomes zero in dlogits. */
bool fp32_attention_fwd(float *y, float *lse, const float *qkv,
                        int B, int T, int C, int NH);
bool fp32_attention_bwd(float *dqkv, const float *dy, const float *qkv,
                        const float *lse, const float *delta,
                        int B, int T, int C, int NH);

/* faster implementations of gelu and of the loss */
bool fp32_gelu_fwd(float *y, const float *x, size_t n);
bool fp32_gelu_bwd(float *dx, const float *dy, const float *x, size_t n);
bool fp32_crossentropy_fwd(real *loss, real *lse, const real *logits,
                           const int32_t *targets, int N, int V,
                           int Vp);
bool fp32_crossentropy_bwd(real *dlogits, const real *logits,
                           const real *lse, const int32_t *targets,
                           real scale, int N, int V, int Vp);

/* faster implementations of sums over rows */
/* embedding_bwd without dwpe; rows of a multiple of 8 up to 2,048. */
bool fp32_embedding_bwd(float *dwte, const float *dx,
                        const int32_t *tokens, int N, int C);

/* Rows of a multiple of 4 up to 2,048. */
bool fp32_layernorm_bwd(float *dx, float *dw, float *db, const float *dy,
                        const float *x, const float *mean,
                        const float *rstd, const float *w, int N, int C);

/* db[c] = the sum of dy[:,c], or added to it; OC a multiple of 4. */
bool fp32_bias_bwd(float *db, const float *dy, int N, int OC,
                   bool accumulate);

/* do these begin at multiples of 16 bytes? */
static inline bool fp32_aligned(const void *a, const void *b,
                                const void *c)
{
    return (((uintptr_t)a | (uintptr_t)b | (uintptr_t)c) & 15) == 0;
}

C_FUNCTIONS_END

#endif
