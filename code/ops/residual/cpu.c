/* Tangled from chapters/workshop/timing-operators.nw, "Residual addition and embedding".  Edit it there. */

#include "ops/residual/residual.h"
#include "ops/operators.h"

enum { PIECE = 8192 };      /* elements that one thread takes at a time */

/* add the elements of one piece */
SIMD_CLONES
static void add_piece(real *y, const real *a, const real *b, size_t n)
{
    #pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = a[i] + b[i];
}

/* add the pieces of two arrays */
void cpu_residual_fwd(real *y, const real *a, const real *b, size_t n)
{
    #pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i += PIECE)
        add_piece(y + i, a + i, b + i, n - i < PIECE ? n - i : PIECE);
}
