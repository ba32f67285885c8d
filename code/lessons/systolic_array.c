/* Tangled from chapters/workshop/first-programs.nw, "systolic: an array in a page of C".  Edit it there. */

#include "lessons/systolic_array.h"

#include "base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* an empty array */
struct Systolic systolic_new(int R, int C)
{
    struct Systolic s = { .R = R, .C = C };
    s.cell = xcalloc((size_t)R * (size_t)C, sizeof *s.cell);
    for (int i = 0; i < R * C; i++)
        s.cell[i].m = -1;
    return s;
}

void systolic_free(struct Systolic *s)
{
    free(s->cell);
    s->cell = NULL;
}

/* draw which row is where */
static void draw(const struct Systolic *s)
{
    for (int r = 0; r < s->R; r++) {
        if (r == 0)
            fprintf(s->trace, "%4llu  ", (unsigned long long)s->cycles);
        else
            fputs("      ", s->trace);
        for (int c = 0; c < s->C; c++) {
            int m = s->cell[r * s->C + c].m;
            fprintf(s->trace, m < 0 ? "  ." : "%3d", m);
        }
        fputc('\n', s->trace);
    }
}

/* one tick of the clock */
/* entering[r] goes into the first cell of row r from the left; it belongs
 * to row from[r] of x. */
static void tick(struct Systolic *s, const float *entering, const int *from)
{
    for (int r = s->R - 1; r >= 0; r--)
        for (int c = s->C - 1; c >= 0; c--) {
            struct Cell *to = s->cell + (size_t)r * s->C + c;
            float above = r ? (to - s->C)->sum : 0;
            to->x = c ? (to - 1)->x : entering[r];
            to->m = c ? (to - 1)->m : from[r];
            to->sum = above + to->w * to->x;
        }
    s->cycles++;
    if (s->trace)
        draw(s);
}

/* push the weights in from above */
void systolic_load(struct Systolic *s, const float *w, int ldw, int K,
                   int N)
{
    for (int k = s->R - 1; k >= 0; k--) {
        for (int i = s->R * s->C - 1; i >= s->C; i--)
            s->cell[i].w = s->cell[i - s->C].w;
        for (int c = 0; c < s->C; c++)
            s->cell[c].w = k < K && c < N
                         ? w[(size_t)k * (size_t)ldw + (size_t)c] : 0;
        s->cycles++;
    }
}

/* stream the rows of x, each later by its row of cells */
void systolic_stream(struct Systolic *s, float *y, int ldy, const float *x,
                     int ldx, int M, int K, int N)
{
    float entering[SYSTOLIC_MAX];
    int from[SYSTOLIC_MAX];
    for (int t = 0; t < M + s->R + s->C - 2; t++) {
        for (int r = 0; r < s->R; r++) {
            int m = t - r;                          /* the skew */
            from[r] = m >= 0 && m < M ? m : -1;
            entering[r] = from[r] >= 0 && r < K
                        ? x[(size_t)m * (size_t)ldx + (size_t)r] : 0;
        }
        tick(s, entering, from);
        /* take what falls out at the bottom */
        const struct Cell *bottom = s->cell + (size_t)(s->R - 1) * (size_t)s->C;
        for (int c = 0; c < N; c++)
            if (bottom[c].m >= 0)
                y[(size_t)bottom[c].m * (size_t)ldy + (size_t)c] += bottom[c].sum;
    }
    s->useful += (uint64_t)M * (uint64_t)K * (uint64_t)N;
}

/* cut a large product into tiles */
static int smaller(int a, int b)
{
    return a < b ? a : b;
}

void systolic_matmul(struct Systolic *s, float *y, const float *x,
                     const float *w, int M, int K, int N)
{
    memset(y, 0, sizeof *y * (size_t)M * (size_t)N);
    for (int n = 0; n < N; n += s->C)
        for (int k = 0; k < K; k += s->R) {
            int deep = smaller(K - k, s->R), wide = smaller(N - n, s->C);
            systolic_load(s, w + (size_t)k * (size_t)N + n, N, deep, wide);
            systolic_stream(s, y + n, N, x + k, K, M, deep, wide);
        }
}
