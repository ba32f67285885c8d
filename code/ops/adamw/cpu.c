/* Tangled from chapters/workshop/programs.nw, "AdamW".  Edit it there. */

#include "ops/adamw/coefficients.h"
#include "ops/operators.h"

/* real_sqrt: the root of a real */
#ifdef REAL_IS_DOUBLE
#define real_sqrt sqrt
#else
#define real_sqrt sqrtf
#endif

#define PIECE ((size_t)16384)   /* 64 KiB of each array */

/* prefetch_ahead: ask for memory ahead of time */
#define LANES 16        /* floats in 64 bytes, the line of a cache */

/* Ask for the lines 4 KiB ahead, into the second-level cache, and 512
 * bytes ahead, into the first. */
static inline __attribute__((always_inline)) void
prefetch_ahead(const real *p)
{
    const char *at = (const char *)p;
    __builtin_prefetch(at + 4096, 0, 2);
    __builtin_prefetch(at + 512, 0, 3);
}

/* update one piece */
static inline __attribute__((always_inline)) void
update(real *restrict w, real *restrict m, real *restrict v,
       const real *restrict g, size_t n, const struct AdamwCoefficients k)
{
    #pragma omp simd
    for (size_t i = 0; i < n; i++) {
        real x = k.scale * g[i];
        real mean = k.beta1 * m[i] + k.one_minus_beta1 * x;
        real square = k.beta2 * v[i] + k.one_minus_beta2 * (x * x);
        real size = real_sqrt(square) * k.root + k.eps;
        m[i] = mean;
        v[i] = square;
        w[i] -= k.rate * mean / size + k.shrink * w[i];
    }
}

/* update one piece, prefetching */
SIMD_CLONES
static void update_piece(real *restrict w, real *restrict m,
                         real *restrict v, const real *restrict g,
                         size_t n, const struct AdamwCoefficients *c)
{
    const struct AdamwCoefficients k = *c;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        /* prefetch the lines that will be needed soon */
        prefetch_ahead(w + i);
        prefetch_ahead(m + i);
        prefetch_ahead(v + i);
        prefetch_ahead(g + i);
        update(w + i, m + i, v + i, g + i, LANES, k);
    }
    update(w + i, m + i, v + i, g + i, n - i, k);
}

/* share the pieces out among the threads */
void cpu_adamw_update(real *w, real *m, real *v, const real *g, size_t n,
                      const struct AdamwStep *s)
{
    const struct AdamwCoefficients c = adamw_coefficients(s);
    size_t pieces = (n + PIECE - 1) / PIECE;
    #pragma omp parallel for schedule(static) if (pieces > 4)
    for (size_t p = 0; p < pieces; p++) {
        size_t at = p * PIECE;
        size_t count = n - at < PIECE ? n - at : PIECE;
        update_piece(w + at, m + at, v + at, g + at, count, &c);
    }
}

/* add up the squares of a gradient */
SIMD_CLONES
static double sum_piece(const real *g, size_t n)
{
    double lane[LANES] = {0}, sum = 0;
    /* lane[j] = the sum of every 16th square, from the j-th on */
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        prefetch_ahead(g + i);
        for (int j = 0; j < LANES; j++)
            lane[j] += (double)g[i + j] * g[i + j];
    }
    for (int j = 0; i < n; i++, j++)
        lane[j] += (double)g[i] * g[i];
    for (int j = 0; j < LANES; j++)
        sum += lane[j];
    return sum;
}


double cpu_sum_squares(const real *g, size_t n)
{
    enum { PIECES = 256 };
    double part[PIECES], sum = 0;
    size_t length = (n / PIECES / LANES + 1) * LANES;
    #pragma omp parallel for schedule(static) if (n > 4 * PIECE)
    for (int p = 0; p < PIECES; p++) {
        /* part[p] = the sum of piece p */
        size_t at = (size_t)p * length;
        size_t left = at < n ? n - at : 0;
        part[p] = sum_piece(g + (left ? at : 0),
                            left < length ? left : length);
    }
    for (int p = 0; p < PIECES; p++)
        sum += part[p];
    return sum;
}
