/* Tangled from chapters/workshop/timing-operators.nw, "The loss".  Edit it there. */

#include <stddef.h>
#include "backend/hugepages.h"
#include "ops/kernels/vmath.h"
#include "ops/loss/crossentropy.h"
#include "ops/operators.h"

enum { PIECE = 256 };       /* elements between two looks ahead */

/* find the largest logit of a row */
enum { LANES = 16 };

SIMD_CLONES
static real row_max(const real *x, int V)
{
    real m[LANES], most = x[0];
    /* find the largest of every 16th logit */
    for (int l = 0; l < LANES; l++)
        m[l] = x[0];
    int v = 0;
    for (; v + LANES <= V; v += LANES) {
        __builtin_prefetch(x + v + 4 * PIECE);
        for (int l = 0; l < LANES; l++)
            m[l] = x[v + l] > m[l] ? x[v + l] : m[l];
    }
    for (; v < V; v++)
        m[0] = x[v] > m[0] ? x[v] : m[0];
    for (int l = 0; l < LANES; l++)
        most = m[l] > most ? m[l] : most;
    return most;
}

/* sum exp(x - m) over a row */
SIMD_CLONES
static real row_sum_exp(const real *x, real m, int V)
{
    real sum = 0;
    #pragma omp simd reduction(+:sum)
    for (int v = 0; v < V; v++)
        sum += vexp(x[v] - m);
    return sum;
}

/* compute the loss of each row */
void cpu_crossentropy_fwd(real *loss, real *lse, const real *logits,
                          const int32_t *targets, int N, int V, int Vp)
{
    #pragma omp parallel for schedule(static)
    for (int n = 0; n < N; n++) {
        const real *x = logits + (size_t)n * (size_t)Vp;
        real m = row_max(x, V);
        real log_sum = (real)log((double)row_sum_exp(x, m, V));
        lse[n] = m + log_sum;
        loss[n] = (m - x[targets[n]]) + log_sum;
    }
}

/* compute scale exp(x - lse) for a row */
SIMD_CLONES
static void row_softmax(real *y, const real *x, real lse, real scale, int V)
{
    #pragma omp simd
    for (int v = 0; v < V; v++)
        y[v] = scale * vexp(x[v] - lse);
}

/* compute the gradient of the logits */
void cpu_crossentropy_bwd(real *dlogits, const real *logits,
                          const real *lse, const int32_t *targets,
                          real scale, int N, int V, int Vp)
{
    #pragma omp parallel for schedule(static)
    for (int n = 0; n < N; n++) {
        size_t at = (size_t)n * (size_t)Vp;
        /* compute the softmax of row n piece by piece */
        for (int v = 0; v < V; v += PIECE) {
            const real *x = logits + at + v;
            prefetch_range(x + 4 * PIECE, PIECE * sizeof *x);
            row_softmax(dlogits + at + v, x, lse[n], scale,
                        V - v < PIECE ? V - v : PIECE);
        }
        dlogits[at + (size_t)targets[n]] -= scale;
        for (int v = V; v < Vp; v++)
            dlogits[at + (size_t)v] = 0;
    }
}
