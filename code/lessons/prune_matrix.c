/* Tangled from chapters/workshop/measuring-ceilings.nw, "prune: what a model loses".  Edit it there. */

#include "lessons/prune.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"

/* sort what is to be pruned */
struct Piece { double size; size_t at; };

static int by_size(const void *a, const void *b)
{
    const struct Piece *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* n pieces, or NULL, with a message */
static struct Piece *pieces_new(size_t n, struct Error *e)
{
    struct Piece *p = calloc(n + 1, sizeof *p);
    if (!p)
        error_set(e, "no memory for %zu numbers", n);
    return p;
}

/* prune single numbers */
bool prune_numbers(float *w, size_t n, double part, bool at_random,
                   struct Error *e)
{
    struct Piece *p = pieces_new(n, e);
    if (!p)
        return false;
    struct Rng rng = rng_new(1, 0);
    for (size_t i = 0; i < n; i++)
        p[i] = (struct Piece){ at_random ? (double)rng_uniform(&rng)
                                         : fabs((double)w[i]), i };
    qsort(p, n, sizeof *p, by_size);
    for (size_t i = 0; i < (size_t)(part * (double)n); i++)
        w[p[i].at] = 0;
    free(p);
    return true;
}

/* prune two of four */
/* The numbers i, i + stride, ... of a group: two of them stay. */
static void prune_four(float *w, size_t stride)
{
    for (int drop = 0; drop < 2; drop++) {
        int least = -1;
        for (int i = 0; i < 4; i++) {
            const float size = fabsf(w[(size_t)i * stride]);
            if (size > 0 && (least < 0
                             || size < fabsf(w[(size_t)least * stride])))
                least = i;
        }
        int zeros = 0;
        for (int i = 0; i < 4; i++)
            zeros += w[(size_t)i * stride] == 0;
        if (least >= 0 && zeros < 2)
            w[(size_t)least * stride] = 0;
    }
}

bool prune_two_four(float *w, size_t rows, size_t cols, struct Error *e)
{
    if (rows % 4 != 0)
        return error_set(e, "%zu rows are not a multiple of 4", rows);
    for (size_t r = 0; r < rows; r += 4)
        for (size_t c = 0; c < cols; c++)
            prune_four(w + r * cols + c, cols);
    return true;
}

/* prune whole blocks */
/* The sum of squares of a block whose first number is w */
static double block_size(const float *w, size_t cols, size_t side)
{
    double sum = 0;
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < side; j++)
            sum += (double)w[i * cols + j] * (double)w[i * cols + j];
    return sum;
}

bool prune_blocks(float *w, size_t rows, size_t cols, size_t side,
                  double part, struct Error *e)
{
    if (rows % side != 0 || cols % side != 0)
        return error_set(e, "%zu x %zu does not divide into blocks of %zu",
                         rows, cols, side);
    const size_t n = rows / side * (cols / side);
    struct Piece *p = pieces_new(n, e);
    if (!p)
        return false;
    for (size_t i = 0; i < n; i++) {
        const size_t at = i / (cols / side) * side * cols
                        + i % (cols / side) * side;
        p[i] = (struct Piece){ block_size(w + at, cols, side), at };
    }
    qsort(p, n, sizeof *p, by_size);
    for (size_t k = 0; k < (size_t)(part * (double)n); k++)
        for (size_t i = 0; i < side; i++)
            for (size_t j = 0; j < side; j++)
                w[p[k].at + i * cols + j] = 0;
    free(p);
    return true;
}
