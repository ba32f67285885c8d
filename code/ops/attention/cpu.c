/* Tangled from chapters/workshop/timing-operators.nw, "Attention".  Edit it there. */

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "ops/attention/attention.h"
#include "ops/kernels/vmath.h"
#include "ops/operators.h"

enum { LANES = 16, ROWS = 4 };

/* tools of both directions */
/* `Lanes`: a number for each of 16 queries */
typedef real Lanes[LANES];

/* compute a tile in registers */
ALWAYS_INLINE void tile(real *restrict y, size_t ys,
                        const real *restrict m, size_t rs, size_t ss,
                        const real *restrict x, size_t xs,
                        int S, const int rows, const int lanes)
{
    real sum[ROWS][LANES];
    for (int r = 0; r < rows; r++)
        for (int l = 0; l < lanes; l++)
            sum[r][l] = y[(size_t)r * ys + (size_t)l];
    /* add m x to the sums, one s after the other */
    for (int s = 0; s < S; s++, m += ss, x += xs)
        for (int l = 0; l < lanes; l++)
            for (int r = 0; r < rows; r++)
                sum[r][l] += m[(size_t)r * rs] * x[l];
    for (int r = 0; r < rows; r++)
        for (int l = 0; l < lanes; l++)
            y[(size_t)r * ys + (size_t)l] = sum[r][l];
}

/* multiply small matrices with strides */
/* y[r][l] += the sum over s < S of m[r][s] x[s][l], for r < R, l < L.
 * y and x have contiguous rows ys and xs apart; m steps rs and ss. */
SIMD_CLONES
static void matmul(real *y, size_t ys, const real *m, size_t rs,
                   size_t ss, const real *x, size_t xs,
                   int R, int S, int L)
{
    int r = 0;
    for (; r + ROWS <= R; r += ROWS, y += ROWS * ys, m += ROWS * rs) {
        /* compute tiles of four rows */
        int l = 0;
        for (; l + LANES <= L; l += LANES)
            tile(y + l, ys, m, rs, ss, x + l, xs, S, ROWS, LANES);
        for (; l < L; l++)
            tile(y + l, ys, m, rs, ss, x + l, xs, S, ROWS, 1);
    }
    for (; r < R; r++, y += ys, m += rs) {
        /* compute tiles of one row */
        int l = 0;
        for (; l + LANES <= L; l += LANES)
            tile(y + l, ys, m, rs, ss, x + l, xs, S, 1, LANES);
        for (; l < L; l++)
            tile(y + l, ys, m, rs, ss, x + l, xs, S, 1, 1);
    }
}

/* `struct Head` */
struct Head {
    int T, HS;
    real scale;             /* 1 / sqrt(HS)                               */
    real *q, *k, *v;        /* [T][HS], copied out of qkv                 */
    Lanes *qt, *p;          /* [HS], [T]: a block's queries, its softmax  */
    Lanes *ds;              /* [T], and the rest, for the backward pass   */
    real *dq, *dk, *dv;     /* [T][HS]                                    */
    real *dy;               /* [T][HS], copied                            */
    void *memory;           /* all of them                                */
};

/* allocate the memory of a head */
static bool head_alloc(struct Head *a, int T, int HS, int matrices,
                       int scores)
{
    size_t part = ((size_t)T * (size_t)HS + LANES - 1) / LANES;
    size_t n = (size_t)matrices * part + (size_t)HS
             + (size_t)scores * (size_t)T;
    Lanes *m = aligned_alloc(sizeof *m, n * sizeof *m);
    *a = (struct Head){ .T = T, .HS = HS, .memory = m,
                        .scale = (real)(1 / sqrt((double)HS)) };
    if (!m)
        return false;
    /* divide the memory into its parts */
    real **const to[] = { &a->q, &a->k, &a->v, &a->dq, &a->dk, &a->dv,
                          &a->dy };
    for (int i = 0; i < matrices; i++, m += part)
        *to[i] = *m;
    a->qt = m;
    a->p = m + HS;
    a->ds = a->p + (scores - 1) * T;
    return true;
}

static void no_room(int T)
{
    backend_failed("attention: no memory for a head of %d tokens; use a "
                   "shorter sequence or fewer threads", T);
}

/* copy the rows of a head */
static void copy_rows(real *to, size_t to_row, const real *from,
                      size_t from_row, int T, int HS)
{
    for (int t = 0; t < T; t++, to += to_row, from += from_row)
        memcpy(to, from, (size_t)HS * sizeof *to);
}


static void load_qkv(struct Head *a, const real *qkv, size_t C)
{
    size_t row = (size_t)a->HS;
    copy_rows(a->q, row, qkv, 3 * C, a->T, a->HS);
    copy_rows(a->k, row, qkv + C, 3 * C, a->T, a->HS);
    copy_rows(a->v, row, qkv + 2 * C, 3 * C, a->T, a->HS);
}

/* transpose a block of queries */
/* to[d][i] = scale * from[i][d] for i < n; lanes n and up are zero. */
static void transpose(Lanes *to, const real *from, int n, int HS,
                      real scale)
{
    memset(to, 0, (size_t)HS * sizeof *to);
    for (int i = 0; i < n; i++)
        for (int d = 0; d < HS; d++)
            to[d][i] = scale * from[i * HS + d];
}

/* compute the scores of a block of queries */
/* p[j][i] = q[t+i] . k[j] / sqrt(HS) for j < n; -inf where j > t + i. */
static void scores(struct Head *a, int t, int n)
{
    size_t row = (size_t)a->HS;
    transpose(a->qt, a->q + (size_t)t * row, n - t, a->HS, a->scale);
    memset(a->p, 0, (size_t)n * sizeof *a->p);
    matmul(*a->p, LANES, a->k, row, 1, *a->qt, LANES, n, a->HS, LANES);
    for (int j = t + 1; j < n; j++)
        for (int i = 0; i < j - t; i++)
            a->p[j][i] = -INFINITY;
}

/* the forward direction */
/* compute the softmax lane by lane */
SIMD_CLONES
static void softmax_lanes(Lanes *s, real *lse, int n)
{
    Lanes m, sum = { 0 };
    /* find the maximum of each lane */
    memcpy(m, s[0], sizeof m);
    for (int j = 1; j < n; j++)
        for (int i = 0; i < LANES; i++)
            m[i] = s[j][i] > m[i] ? s[j][i] : m[i];
    /* replace s by exp(s - m) and sum it */
    for (int j = 0; j < n; j++)
        for (int i = 0; i < LANES; i++) {
            s[j][i] = vexp(s[j][i] - m[i]);
            sum[i] += s[j][i];
        }
    /* divide by the sum; lse = m + log(sum) */
    for (int i = 0; i < LANES; i++) {
        lse[i] = m[i] + (real)log((double)sum[i]);
        sum[i] = 1 / sum[i];
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < LANES; i++)
            s[j][i] *= sum[i];
}

/* compute y for a block of queries */
static void fwd_block(real *y, size_t C, real *lse, struct Head *a, int t)
{
    int rows = a->T - t < LANES ? a->T - t : LANES, n = t + rows;
    Lanes l;
    scores(a, t, n);
    softmax_lanes(a->p, l, n);
    memcpy(lse + t, l, (size_t)rows * sizeof *l);
    /* multiply the probabilities and the values */
    y += (size_t)t * C;
    for (int i = 0; i < rows; i++)
        memset(y + (size_t)i * C, 0, (size_t)a->HS * sizeof *y);
    matmul(y, C, *a->p, 1, LANES, a->v, (size_t)a->HS, rows, n, a->HS);
}

/* share the heads, forward */
void cpu_attention_fwd(real *y, real *lse, const real *qkv,
                       int B, int T, int C, int NH)
{
    const int HS = C / NH;
    const size_t rows = (size_t)T, row = (size_t)C;
    bool room = true;
    #pragma omp parallel reduction(&& : room)
    {
        /* compute this thread's heads */
        struct Head a;
        room = head_alloc(&a, T, HS, 3, 1);
        #pragma omp for schedule(static)
        for (int i = 0; i < B * NH; i++) {
            if (!room)
                continue;
            /* compute head i block by block */
            size_t b = (size_t)(i / NH), h = (size_t)(i % NH * HS);
            load_qkv(&a, qkv + b * rows * 3 * row + h, row);
            for (int t = 0; t < T; t += LANES)
                fwd_block(y + b * rows * row + h, row,
                          lse + (size_t)i * rows, &a, t);
        }
        free(a.memory);
    }
    if (!room)
        no_room(T);
}

/* the backward direction */
/* compute exp(s - lse) lane by lane */
SIMD_CLONES
static void exp_lanes(Lanes *s, const real *lse, int n)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < LANES; i++)
            s[j][i] = vexp(s[j][i] - lse[i]);
}

/* compute a dot product */
SIMD_CLONES
static real dot(const real *a, const real *b, int n)
{
    real sum = 0;
    #pragma omp simd reduction(+:sum)
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* compute ds lane by lane */
SIMD_CLONES
static void grad_lanes(Lanes *ds, Lanes *p, const real *delta, real scale,
                       int n)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < LANES; i++)
            ds[j][i] = p[j][i] * (ds[j][i] - delta[i]) * scale;
}

/* add the gradients of a block of queries */
static void bwd_block(struct Head *a, const real *y, size_t C,
                      const real *lse, int t)
{
    int rows = a->T - t < LANES ? a->T - t : LANES, n = t + rows;
    const int HS = a->HS;
    const size_t row = (size_t)HS, at = (size_t)t * row;
    /* compute the probabilities again */
    Lanes l = { 0 }, delta = { 0 };
    memcpy(l, lse + t, (size_t)rows * sizeof *l);
    scores(a, t, n);
    exp_lanes(a->p, l, n);
    /* compute the gradient of the scores */
    for (int i = 0; i < rows; i++)
        delta[i] = dot(a->dy + at + (size_t)i * row,
                       y + (size_t)(t + i) * C, HS);
    transpose(a->qt, a->dy + at, rows, HS, 1);
    memset(a->ds, 0, (size_t)n * sizeof *a->ds);
    matmul(*a->ds, LANES, a->v, row, 1, *a->qt, LANES, n, HS, LANES);
    grad_lanes(a->ds, a->p, delta, a->scale, n);
    matmul(a->dv, row, *a->p, LANES, 1, a->dy + at, row, n, rows, HS);
    matmul(a->dk, row, *a->ds, LANES, 1, a->q + at, row, n, rows, HS);
    matmul(a->dq + at, row, *a->ds, 1, LANES, a->k, row, rows, n, HS);
}

/* differentiate a head */
static void bwd_head(real *dqkv, const real *dy, const real *y,
                     const real *lse, size_t C, struct Head *a)
{
    size_t row = (size_t)a->HS, size = (size_t)a->T * row * sizeof *a->dq;
    copy_rows(a->dy, row, dy, C, a->T, a->HS);
    memset(a->dq, 0, size);
    memset(a->dk, 0, size);
    memset(a->dv, 0, size);
    for (int t = 0; t < a->T; t += LANES)
        bwd_block(a, y, C, lse, t);
    copy_rows(dqkv, 3 * C, a->dq, row, a->T, a->HS);
    copy_rows(dqkv + C, 3 * C, a->dk, row, a->T, a->HS);
    copy_rows(dqkv + 2 * C, 3 * C, a->dv, row, a->T, a->HS);
}

/* share the heads, backward */
void cpu_attention_bwd(real *dqkv, const real *dy, const real *qkv,
                       const real *y, const real *lse,
                       int B, int T, int C, int NH)
{
    const int HS = C / NH;
    const size_t rows = (size_t)T, row = (size_t)C;
    bool room = true;
    #pragma omp parallel reduction(&& : room)
    {
        /* differentiate this thread's heads */
        struct Head a;
        room = head_alloc(&a, T, HS, 7, 2);
        #pragma omp for schedule(static)
        for (int i = 0; i < B * NH; i++) {
            if (!room)
                continue;
            /* differentiate head i */
            size_t b = (size_t)(i / NH), h = (size_t)(i % NH * HS);
            size_t at = b * rows * row;
            load_qkv(&a, qkv + 3 * at + h, row);
            bwd_head(dqkv + 3 * at + h, dy + at + h, y + at + h,
                     lse + (size_t)i * rows, row, &a);
        }
        free(a.memory);
    }
    if (!room)
        no_room(T);
}
