/* Tangled from chapters/workshop/first-programs.nw, "systolic: an array in a page of C".  Edit it there. */

#ifndef LESSONS_SYSTOLIC_ARRAY_H
#define LESSONS_SYSTOLIC_ARRAY_H

#include <stdint.h>
#include <stdio.h>

/* struct of one cell */
struct Cell {
    float w;        /* the weight that stays                           */
    float x;        /* the activation that goes on to the right        */
    float sum;      /* the partial sum that goes on downwards          */
    int m;          /* which row of x these belong to; -1: none        */
};

/* struct of the array */
enum { SYSTOLIC_MAX = 512 };

/* R rows of C cells.  systolic_new: weights zero, nothing in it. */
struct Systolic {
    int R, C;               /* 1 to SYSTOLIC_MAX                       */
    struct Cell *cell;      /* [R][C], freed by systolic_free          */
    FILE *trace;            /* not NULL: every tick is drawn here      */
    uint64_t cycles;        /* ticks, those of loading included        */
    uint64_t useful;        /* multiply-adds that a result needed      */
};

struct Systolic systolic_new(int R, int C);
void systolic_free(struct Systolic *s);

/* load weights, stream rows, or do both for any matrix */
/* Weights w[K,N], rows ldw apart, K <= R, N <= C, pushed in from above:
 * R cycles.  Cells outside get 0. */
void systolic_load(struct Systolic *s, const float *w, int ldw, int K,
                   int N);

/* y[M,N] += x[M,K] w for the weights that are loaded: M + R + C - 2
 * cycles.  Rows of x and y are ldx and ldy apart. */
void systolic_stream(struct Systolic *s, float *y, int ldy, const float *x,
                     int ldx, int M, int K, int N);

/* y[M,N] = x[M,K] w[K,N] of any size, by tiles of R x C weights. */
void systolic_matmul(struct Systolic *s, float *y, const float *x,
                     const float *w, int M, int K, int N);
#endif
