/* Tangled from chapters/gpt2/operators.nw, "GELU".  Edit it there. */

#include "backend/hugepages.h"
#include "ops/gelu/gelu.h"
#include "ops/kernels/vmath.h"
#include "ops/operators.h"

enum { PIECE = 256 };       /* elements between two looks ahead */

/* the constants of GELU, and a clamp */
#define TWO_U 1.5957691216057308        /* 2 sqrt(2 / pi) */
#define CUBIC 0.044715

ALWAYS_INLINE real clamp(real x, real limit)
{
    x = x < -limit ? -limit : x;
    return x > limit ? limit : x;
}

/* gelu_piece, forward */
SIMD_CLONES
static void gelu_piece(real *y, const real *x, size_t n)
{
    #pragma omp simd
    for (size_t i = 0; i < n; i++) {
        /* u2 = 2u of x[i] */
        real c = clamp(x[i], 12);
        real u2 = c * ((real)TWO_U + (real)(TWO_U * CUBIC) * c * c);
        y[i] = x[i] * vsigmoid(u2);
    }
}

/* gelu_bwd_piece, backward */
SIMD_CLONES
static void gelu_bwd_piece(real *dx, const real *dy, const real *x,
                           size_t n)
{
    #pragma omp simd
    for (size_t i = 0; i < n; i++) {
        /* s = sigmoid(2u), d = s (1 - s), du2 = the derivative of 2u */
        real c = clamp(x[i], 12);
        real cc = (real)(TWO_U * CUBIC) * c * c;
        real du2 = (real)TWO_U + 3 * cc;
        real u2 = c * ((real)TWO_U + cc);
        real e = vexp(u2 < 0 ? u2 : -u2);           /* exp(-|2u|), at most 1 */
        real r = 1 / (1 + e), d = e * r * r;
        real s = u2 < 0 ? e * r : r;
        dx[i] = dy[i] * (s + c * d * du2);
    }
}

/* cut n elements into pieces for the threads */
void cpu_gelu_fwd(real *y, const real *x, size_t n)
{
    #pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i += PIECE) {
        prefetch_range(x + i + PIECE, PIECE * sizeof *x);
        gelu_piece(y + i, x + i, n - i < PIECE ? n - i : PIECE);
    }
}


void cpu_gelu_bwd(real *dx, const real *dy, const real *x, size_t n)
{
    #pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i += PIECE) {
        prefetch_range(x + i + PIECE, PIECE * sizeof *x);
        prefetch_range(dy + i + PIECE, PIECE * sizeof *dy);
        gelu_bwd_piece(dx + i, dy + i, x + i,
                       n - i < PIECE ? n - i : PIECE);
    }
}
