/* Tangled from chapters/workshop/timing-operators.nw, "Layer normalisation".  Edit it there. */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ops/kernels/pieces.h"
#include "ops/layernorm/layernorm.h"
#include "ops/operators.h"

/* normalise a row */
SIMD_CLONES
static void fwd_row(real *y, real *mean, real *rstd, const real *x,
                    const real *w, const real *b, int C)
{
    /* compute the mean m of the row */
    real sum = 0;
    #pragma omp simd reduction(+:sum)
    for (int c = 0; c < C; c++)
        sum += x[c];
    real m = sum / (real)C;
    /* compute the variance v of the row */
    real squares = 0;
    #pragma omp simd reduction(+:squares)
    for (int c = 0; c < C; c++)
        squares += (x[c] - m) * (x[c] - m);
    real v = squares / (real)C;
    real r = 1 / (real)sqrt((double)(v + (real)LAYERNORM_EPS));
    #pragma omp simd
    for (int c = 0; c < C; c++)
        y[c] = (x[c] - m) * r * w[c] + b[c];
    *mean = m;
    *rstd = r;
}

/* normalise all rows */
void cpu_layernorm_fwd(real *y, real *mean, real *rstd, const real *x,
                       const real *w, const real *b, int N, int C)
{
    #pragma omp parallel for schedule(static)
    for (int n = 0; n < N; n++) {
        size_t at = (size_t)n * (size_t)C;
        fwd_row(y + at, mean + n, rstd + n, x + at, w, b, C);
    }
}

/* compute the gradients of a row */
SIMD_CLONES
static void bwd_row(real *dx, real *dw, real *db, const real *dy,
                    const real *x, real mean, real rstd, const real *w,
                    int C)
{
    /* average g and g h over the row */
    real a = 0, p = 0;
    #pragma omp simd reduction(+:a, p)
    for (int c = 0; c < C; c++) {
        real g = dy[c] * w[c];
        a += g;
        p += g * (x[c] - mean);
    }
    a /= (real)C;
    p *= rstd / (real)C;
    #pragma omp simd
    for (int c = 0; c < C; c++) {
        real h = (x[c] - mean) * rstd;
        dx[c] += rstd * (dy[c] * w[c] - a - h * p);
        dw[c] += dy[c] * h;
        db[c] += dy[c];
    }
}

/* compute the gradients piece by piece */
enum { MAX_PIECES = 64 };

void cpu_layernorm_bwd(real *dx, real *dw, real *db, const real *dy,
                       const real *x, const real *mean, const real *rstd,
                       const real *w, int N, int C)
{
    int rows = rows_of_piece(N, MAX_PIECES);
    int pieces = (N + rows - 1) / rows;
    /* make a dw and a db for each piece */
    size_t row = (size_t)C, size = (size_t)pieces * 2 * row;
    real *part = calloc(size, sizeof *part);
    if (!part) {
        backend_failed("layernorm_bwd: no memory for %zu numbers", size);
        return;
    }
    #pragma omp parallel for schedule(static)
    for (int i = 0; i < pieces; i++) {
        /* add the rows of piece i to its own dw and db */
        real *pw = part + (size_t)i * 2 * row, *pb = pw + row;
        int end = (i + 1) * rows < N ? (i + 1) * rows : N;
        for (int n = i * rows; n < end; n++) {
            size_t at = (size_t)n * row;
            bwd_row(dx + at, pw, pb, dy + at, x + at, mean[n], rstd[n], w, C);
        }
    }
    /* add the pieces in order */
    for (int i = 0; i < pieces; i++) {
        const real *pw = part + (size_t)i * 2 * row, *pb = pw + row;
        for (int c = 0; c < C; c++) {
            dw[c] += pw[c];
            db[c] += pb[c];
        }
    }
    free(part);
}
