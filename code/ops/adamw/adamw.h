/* Tangled from chapters/workshop/programs.nw, "AdamW".  Edit it there. */

/* adamw.h: AdamW (Loshchilov, Hutter 2019), and the norm for clipping. */
#ifndef OPS_ADAMW_ADAMW_H
#define OPS_ADAMW_ADAMW_H

#include "base/real.h"
#include "ops/kernels/bf16.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

C_FUNCTIONS_BEGIN

/* the contract of one tensor's step */
struct AdamwStep {
    double lr, beta1, beta2, eps;
    double decay;       /* 0 for vectors */
    double scale;       /* g is multiplied by it first: clipping */
    int64_t step;       /* 1 for the first: corrects the bias */
    uint64_t seed;      /* of stochastic rounding */
};


/* m = beta1 m + (1 - beta1) scale g
 * v = beta2 v + (1 - beta2) (scale g)^2
 * w = w - lr (m / (1 - beta1^step)
 *             / (sqrt(v / (1 - beta2^step)) + eps) + decay w)
 *
 *   w, m, v    real [n], changed in place, distinct     g  real [n]
 *   moves      28 bytes for each of n float: 16 in, 12 out
 *   numerics   coefficients are computed in double, then used as real;
 *              the result does not depend on the number of threads */
void adamw_update(real *w, real *m, real *v, const real *g, size_t n,
                  const struct AdamwStep *s);

/* the contract of adamw_all */
/* A tensor: w, m, v, g from [offset] on, its bf16 copy from [offset16]. */
struct AdamwSpan {
    size_t offset, size, offset16;      /* in numbers */
    bool decays;
};

/* adamw_update for all spans, and the new weights rounded to bf16.
 *
 *   w         real, changed; NULL: the weights are w16 alone, and the
 *             new ones are rounded stochastically, by random bits that
 *             are a function of s->seed, s->step and the place in w16
 *   w16       bf16, overwritten (w == NULL: changed); NULL: none.  The C
 *             implementation has none
 *   m, v, g   real, as in adamw_update
 *   decay     s->decay where the span decays, else 0
 *   needs     on a GPU, all arrays at multiples of 16 bytes
 *   moves     30 bytes a number with w and w16, 24 without w */
void adamw_all(real *w, bf16 *w16, real *m, real *v, const real *g,
               const struct AdamwSpan *span, int spans,
               const struct AdamwStep *s);

/* the contract of the norm */
/* The sum of g[i]^2 in double.  The order of additions is fixed: neither
 * the number of threads nor the width of the vectors changes a bit of it
 * (for float: each product is exact in double). */
double sum_squares(const real *g, size_t n);

C_FUNCTIONS_END

#endif
