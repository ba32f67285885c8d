/* Chapter 15, Operators */
/* Tangled from chapters/15-operators.nw by `make tangle`; edit it there. */

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "ops/attention.h"
#include "ops/vmath.h"

enum { LANES = 16, ROWS = 4 };

/* a row of lanes: one number for each of 16 queries (15) */
typedef real Lanes[LANES];

static Lanes *lanes_alloc(size_t n)
{
    Lanes *p = aligned_alloc(sizeof(Lanes), n * sizeof(Lanes));
    if (!p)
        fail("attention: no memory for %zu rows of lanes", n);
    return p;
}

/* product: y += m x, small and strided (15) */
/* tile: rows x lanes of the product in registers (15) */
VINLINE void tile(real *restrict y, size_t ys, const real *restrict m,
                  size_t rs, size_t ss, const real *restrict x, size_t xs,
                  int S, const int rows, const int lanes)
{
    real sum[ROWS][LANES];
    for (int r = 0; r < rows; r++)
        for (int l = 0; l < lanes; l++)
            sum[r][l] = y[(size_t)r * ys + (size_t)l];
    for (int s = 0; s < S; s++, m += ss, x += xs)
        for (int l = 0; l < lanes; l++)
            for (int r = 0; r < rows; r++)
                sum[r][l] += m[(size_t)r * rs] * x[l];
    for (int r = 0; r < rows; r++)
        for (int l = 0; l < lanes; l++)
            y[(size_t)r * ys + (size_t)l] = sum[r][l];
}

/* y[r][l] += the sum over s < S of m[r][s] x[s][l], for r < R, l < L.
 * y and x have contiguous rows ys and xs apart; m steps rs and ss. */
SIMD_CLONES
static void product(real *y, size_t ys, const real *m, size_t rs,
                    size_t ss, const real *x, size_t xs,
                    int R, int S, int L)
{
    int r = 0;
    for (; r + ROWS <= R; r += ROWS, y += ROWS * ys, m += ROWS * rs) {
        /* tiles of four rows (15) */
        int l = 0;
        for (; l + LANES <= L; l += LANES)
            tile(y + l, ys, m, rs, ss, x + l, xs, S, ROWS, LANES);
        for (; l < L; l++)
            tile(y + l, ys, m, rs, ss, x + l, xs, S, ROWS, 1);
    }
    for (; r < R; r++, y += ys, m += rs) {
        /* tiles of one row (15) */
        int l = 0;
        for (; l + LANES <= L; l += LANES)
            tile(y + l, ys, m, rs, ss, x + l, xs, S, 1, LANES);
        for (; l < L; l++)
            tile(y + l, ys, m, rs, ss, x + l, xs, S, 1, 1);
    }
}

/* one head, where it lies in memory (15) */
struct Head {
    int T, HS;
    size_t row;             /* 3C: from one position to the next in qkv */
    const real *q, *k, *v;  /* the first row of each                    */
    size_t offset;          /* of q in qkv                              */
    size_t column;          /* of the head's first row in y             */
    size_t first;           /* of its first lse                         */
    real scale;             /* 1 / sqrt(HS)                             */
};

/* head_at: find head h of sequence b (15) */
static struct Head head_at(const real *qkv, int b, int h,
                           int T, int C, int NH)
{
    int HS = C / NH;
    size_t row = 3 * (size_t)C, n = (size_t)b * (size_t)T;
    size_t column = (size_t)h * (size_t)HS, offset = n * row + column;
    const real *q = qkv + offset;
    return (struct Head){
        .T = T, .HS = HS, .row = row,
        .q = q, .k = q + C, .v = q + 2 * (size_t)C,
        .offset = offset, .column = n * (size_t)C + column,
        .first = ((size_t)b * (size_t)NH + (size_t)h) * (size_t)T,
        .scale = (real)(1 / sqrt((double)HS)),
    };
}

struct Grad {               /* of one head, rows as in qkv and y        */
    real *dq, *dk, *dv;
    const real *dy, *y, *lse;
    size_t C;               /* from one position to the next in y       */
};

/* transpose a block of queries (15) */
/* to[d][i] = scale * from[i][d] for i < n; lanes n and up are zero. */
static void transpose(Lanes *to, const real *from, size_t row, int n,
                      int HS, real scale)
{
    memset(to, 0, (size_t)HS * sizeof *to);
    for (int i = 0; i < n; i++)
        for (int d = 0; d < HS; d++)
            to[d][i] = scale * from[(size_t)i * row + (size_t)d];
}

/* scores of a block of queries (15) */
/* s[j][i] = q[t+i] . k[j] / sqrt(HS) for j < n; -inf where j > t + i. */
static void scores(Lanes *s, Lanes *qt, const struct Head *a, int t, int n)
{
    const real *q = a->q + (size_t)t * a->row;
    transpose(qt, q, a->row, n - t, a->HS, a->scale);
    memset(s, 0, (size_t)n * sizeof *s);
    product(*s, LANES, a->k, a->row, 1, *qt, LANES, n, a->HS, LANES);
    for (int j = t + 1; j < n; j++)
        for (int i = 0; i < j - t; i++)
            s[j][i] = -INFINITY;
}

/* softmax, lane by lane (15) */
SIMD_CLONES
static void softmax_lanes(Lanes *s, real *lse, int n)
{
    Lanes m, sum = { 0 };
    /* m = the largest of each lane (15) */
    memcpy(m, s[0], sizeof m);
    for (int j = 1; j < n; j++)
        for (int i = 0; i < LANES; i++)
            m[i] = s[j][i] > m[i] ? s[j][i] : m[i];
    /* s = exp(s - m), and its sum, lane by lane (15) */
    for (int j = 0; j < n; j++)
        for (int i = 0; i < LANES; i++) {
            s[j][i] = vexp(s[j][i] - m[i]);
            sum[i] += s[j][i];
        }
    /* divide by the sum; lse = m + log(sum) (15) */
    for (int i = 0; i < LANES; i++) {
        lse[i] = m[i] + (real)log((double)sum[i]);
        sum[i] = 1 / sum[i];
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < LANES; i++)
            s[j][i] *= sum[i];
}

/* attention forward, one block of queries (15) */
static void fwd_block(real *y, size_t C, real *lse, const struct Head *a,
                      int t, Lanes *scratch)
{
    int rows = a->T - t < LANES ? a->T - t : LANES, n = t + rows;
    Lanes *qt = scratch, *p = qt + a->HS, l;
    scores(p, qt, a, t, n);
    softmax_lanes(p, l, n);
    memcpy(lse + t, l, (size_t)rows * sizeof *l);
    /* y = p v, rows t and on (15) */
    y += (size_t)t * C;
    for (int i = 0; i < rows; i++)
        memset(y + (size_t)i * C, 0, (size_t)a->HS * sizeof *y);
    product(y, C, *p, 1, LANES, a->v, a->row, rows, n, a->HS);
}

/* attention_fwd (15) */
void attention_fwd(real *y, real *lse, const real *qkv,
                   int B, int T, int C, int NH)
{
    #pragma omp parallel
    {
        Lanes *scratch = lanes_alloc((size_t)(C / NH) + (size_t)T);
        #pragma omp for collapse(3) schedule(dynamic)
        for (int b = 0; b < B; b++)
            for (int h = 0; h < NH; h++)
                for (int t = 0; t < T; t += LANES) {
                    struct Head a = head_at(qkv, b, h, T, C, NH);
                    fwd_block(y + a.column, (size_t)C, lse + a.first, &a,
                              t, scratch);
                }
        free(scratch);
    }
}

/* probabilities again, from the scores and lse (15) */
SIMD_CLONES
static void exp_lanes(Lanes *s, const real *lse, int n)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < LANES; i++)
            s[j][i] = vexp(s[j][i] - lse[i]);
}

/* attention backward, one block of queries (15) */
/* delta: dot products of the rows of dy and y (15) */
SIMD_CLONES
static real dot(const real *a, const real *b, int n)
{
    real sum = 0;
    #pragma omp simd reduction(+:sum)
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* ds = p (dp - delta) / sqrt(HS), lane by lane (15) */
SIMD_CLONES
static void grad_lanes(Lanes *ds, Lanes *p, const real *delta, real scale,
                       int n)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < LANES; i++)
            ds[j][i] = p[j][i] * (ds[j][i] - delta[i]) * scale;
}

static void bwd_block(const struct Grad *g, const struct Head *a,
                      int t, Lanes *scratch)
{
    int rows = a->T - t < LANES ? a->T - t : LANES, n = t + rows;
    const real *q = a->q + (size_t)t * a->row;
    const real *dy = g->dy + (size_t)t * g->C;
    Lanes *qt = scratch, *p = qt + a->HS, *ds = p + a->T;
    /* p = the probabilities of this block (15) */
    Lanes lse = { 0 }, delta = { 0 };
    memcpy(lse, g->lse + t, (size_t)rows * sizeof *lse);
    scores(p, qt, a, t, n);
    exp_lanes(p, lse, n);
    /* ds = the gradient of the scores (15) */
    for (int i = 0; i < rows; i++)
        delta[i] = dot(dy + (size_t)i * g->C,
                       g->y + (size_t)(t + i) * g->C, a->HS);
    transpose(qt, dy, g->C, rows, a->HS, 1);
    memset(ds, 0, (size_t)n * sizeof *ds);
    product(*ds, LANES, a->v, a->row, 1, *qt, LANES, n, a->HS, LANES);
    grad_lanes(ds, p, delta, a->scale, n);
    product(g->dv, a->row, *p, LANES, 1, dy, g->C, n, rows, a->HS);
    product(g->dk, a->row, *ds, LANES, 1, q, a->row, n, rows, a->HS);
    product(g->dq + (size_t)t * a->row, a->row, *ds, 1, LANES,
            a->k, a->row, rows, n, a->HS);
}

/* attention backward, one head (15) */
static void bwd_head(real *dqkv, const real *dy, const real *y,
                     const real *lse, int C, const struct Head *a,
                     Lanes *scratch)
{
    real *dq = dqkv + a->offset;
    struct Grad g = { dq, dq + C, dq + 2 * C, dy + a->column,
                      y + a->column, lse + a->first, (size_t)C };
    for (int t = 0; t < a->T; t++)
        for (int i = 0; i < 3; i++)
            memset(dq + (size_t)t * a->row + (size_t)(i * C), 0,
                   (size_t)a->HS * sizeof *dq);
    for (int t = 0; t < a->T; t += LANES)
        bwd_block(&g, a, t, scratch);
}

/* attention_bwd (15) */
void attention_bwd(real *dqkv, const real *dy, const real *qkv,
                   const real *y, const real *lse,
                   int B, int T, int C, int NH)
{
    #pragma omp parallel
    {
        Lanes *scratch = lanes_alloc((size_t)(C / NH) + 2 * (size_t)T);
        #pragma omp for collapse(2) schedule(dynamic)
        for (int b = 0; b < B; b++)
            for (int h = 0; h < NH; h++) {
                struct Head a = head_at(qkv, b, h, T, C, NH);
                bwd_head(dqkv, dy, y, lse, C, &a, scratch);
            }
        free(scratch);
    }
}
