/* Tangled from chapters/workshop/timing-operators.nw, "GELU".  Edit it there. */

#include "backend/hugepages.h"
#include "ops/gelu/gelu.h"
#include "ops/gelu/gelu_math.h"
#include "ops/operators.h"

enum { PIECE = 256 };       /* elements between two looks ahead */

/* apply GELU to a piece */
SIMD_CLONES
static void gelu_piece(real *y, const real *x, size_t n)
{
    #pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = gelu_value(x[i]);
}

/* apply the derivative of GELU to a piece */
SIMD_CLONES
static void gelu_bwd_piece(real *dx, const real *dy, const real *x,
                           size_t n)
{
    #pragma omp simd
    for (size_t i = 0; i < n; i++)
        dx[i] = dy[i] * gelu_slope(x[i]);
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
