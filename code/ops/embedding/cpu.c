/* Tangled from chapters/workshop/timing-operators.nw, "Residual addition and embedding".  Edit it there. */

#include <stddef.h>
#include "ops/embedding/embedding.h"
#include "ops/operators.h"

/* add two rows */
SIMD_CLONES
static void add_rows(real *y, const real *a, const real *b, int C)
{
    for (int c = 0; c < C; c++)
        y[c] = a[c] + b[c];
}

/* look up the embeddings */
void cpu_embedding_fwd(real *x, const int32_t *tokens, const real *wte,
                       const real *wpe, int B, int T, int C)
{
    size_t N = (size_t)B * (size_t)T, row = (size_t)C;
    #pragma omp parallel for schedule(static)
    for (size_t n = 0; n < N; n++)
        add_rows(x + n * row, wte + (size_t)tokens[n] * row,
                 wpe + n % (size_t)T * row, C);
}

/* add a row to another */
SIMD_CLONES
static void add_row(real *y, const real *x, int n)
{
    #pragma omp simd
    for (int c = 0; c < n; c++)
        y[c] += x[c];
}

/* scatter the gradients of the embeddings */
enum { STRIP = 64 };        /* columns that one thread takes at a time */

void cpu_embedding_bwd(real *dwte, real *dwpe, const real *dx,
                       const int32_t *tokens, int B, int T, int C)
{
    size_t N = (size_t)B * (size_t)T, row = (size_t)C;
    #pragma omp parallel for schedule(static)
    for (int c = 0; c < C; c += STRIP) {
        int n = C - c < STRIP ? C - c : STRIP;
        /* add columns c to c + n of dx, position by position */
        for (size_t i = 0; i < N; i++) {
            const real *g = dx + i * row + c;
            add_row(dwte + (size_t)tokens[i] * row + c, g, n);
            add_row(dwpe + i % (size_t)T * row + c, g, n);
        }
    }
}
