/* Tangled from chapters/workshop/measuring-ceilings.nw, "Sparse matrices of six kinds".  Edit it there. */

#include "ladder/spmv.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* spmv: numbers that look random */
static uint32_t hash(uint32_t z)
{
    z = (z ^ (z >> 16)) * 0x85ebca6bu;
    z = (z ^ (z >> 13)) * 0xc2b2ae35u;
    return z ^ (z >> 16);
}

/* Nearly normal, of variance 1, a function of i */
static float normal(uint32_t i)
{
    float sum = 0;
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t h = hash(4 * i + k);
        sum += (float)(h & 0xffff) + (float)(h >> 16);
    }
    return (sum / 65536 - 3) * 1.4142f;
}

/* spmv: how long is a row */
static bool is_full_row(int r, int rows, int full)
{
    const int step = full ? rows / full : 0;
    return step > 0 && r % step == 0 && r / step < full;
}

static int power_length(int r, int columns, int per_row)
{
    const double u = hash((uint32_t)r + 17) / 4294967296.0;
    const double n = per_row / 2.0 / sqrt(1 - u);
    return n < columns / 4 ? (int)n : columns / 4;
}

static int length_of(enum SparseKind kind, int r, int rows, int columns,
                     int per_row)
{
    switch (kind) {
    case SPARSE_POWER: return power_length(r, columns, per_row);
    case SPARSE_ARROW: return is_full_row(r, rows, per_row) ? columns
                                                       : r < columns;
    case SPARSE_SKEWED: per_row = r % 1024 == 512 ? per_row * 512
                                                  : per_row / 2; break;
    default: break;
    }
    return per_row < columns ? per_row : columns;
}

/* spmv: where is a nonzero */
/* One of the columns from i / n to (i + 1) / n of all */
static int in_strip(uint32_t seed, int i, int n, int columns)
{
    const int64_t from = (int64_t)i * columns / n;
    const int64_t to = (int64_t)(i + 1) * columns / n;
    return (int)(from + hash(seed * 0x9e3779b9u + (uint32_t)i)
                        % (uint32_t)(to - from));
}

/* The column of nonzero i of n in row r */
static int column_of(enum SparseKind kind, int r, int i, int n,
                     int columns, int per_row)
{
    int64_t first = (int64_t)r % columns - per_row / 2;
    if (kind == SPARSE_ARROW)
        return n == columns ? i : r;
    if (kind == SPARSE_BLOCKS && columns >= 8 && n % 8 == 0)
        return 8 * in_strip((uint32_t)(r / 8), i / 8, n / 8, columns / 8)
             + i % 8;
    if (kind != SPARSE_BAND)
        return in_strip((uint32_t)r, i, n, columns);
    if (first + n > columns)
        first = columns - n;
    return (int)(first < 0 ? i : first + i);
}

/* spmv: rows of a pruned matrix */
static float weight(int r, int c, int columns)
{
    const uint32_t h = hash((uint32_t)r + 5);
    const float scale = 0.5f + (float)(h >> 8) * 0x1p-24f;
    return scale * normal((uint32_t)r * (uint32_t)columns + (uint32_t)c);
}

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* What per_row / columns of all numbers are above, nearly */
static float threshold(int rows, int columns, int per_row)
{
    enum { N = 4096 };
    float size[N];
    for (uint32_t i = 0; i < N; i++)
        size[i] = fabsf(weight((int)(hash(2 * i) % (uint32_t)rows),
                               (int)(hash(2 * i + 1) % (uint32_t)columns),
                               columns));
    qsort(size, N, sizeof *size, by_size);
    const double below = 1 - (double)per_row / columns;
    return below <= 0 ? -1 : size[(int)(below * (N - 1))];
}

/* spmv: make a matrix */
static bool csr_new(struct Csr *a, size_t n, struct Error *e)
{
    a->column = calloc(n + 1, sizeof *a->column);
    a->value = calloc(n + 1, sizeof *a->value);
    if (a->start && a->column && a->value)
        return true;
    csr_free(a);
    return error_set(e, "no memory for a matrix of %zu nonzeros", n);
}

void csr_free(struct Csr *a)
{
    free(a->start);
    free(a->column);
    free(a->value);
    memset(a, 0, sizeof *a);
}

static bool pruned_make(struct Csr *a, int per_row, struct Error *e)
{
    const float t = a->rows ? threshold(a->rows, a->columns, per_row) : 0;
    for (int fill = 0; fill < 2; fill++) {
        int n = 0;
        for (int r = 0; r < a->rows; r++) {
            for (int c = 0; c < a->columns; c++) {
                const float w = weight(r, c, a->columns);
                if (!(fabsf(w) > t))
                    continue;
                if (fill)
                    a->column[n] = c, a->value[n] = w;
                n++;
            }
            a->start[r + 1] = n;
        }
        if (!fill && !csr_new(a, (size_t)n, e))
            return false;
    }
    return true;
}

static void fill_rows(struct Csr *a, enum SparseKind kind, int per_row)
{
    for (int r = 0; r < a->rows; r++) {
        const int n = a->start[r + 1] - a->start[r];
        for (int i = 0; i < n; i++) {
            const int at = a->start[r] + i;
            a->column[at] = column_of(kind, r, i, n, a->columns, per_row);
            a->value[at] = (float)(hash((uint32_t)at + 7) % 2048) / 1024
                         - 1;
        }
    }
}

bool csr_make(struct Csr *a, enum SparseKind kind, int rows, int columns,
              int per_row, struct Error *e)
{
    *a = (struct Csr){ .rows = rows, .columns = columns };
    a->start = calloc((size_t)rows + 1, sizeof *a->start);
    if (kind == SPARSE_PRUNED && a->start)
        return pruned_make(a, per_row, e);
    int64_t n = 0;
    for (int r = 0; a->start && r < rows; r++) {
        n += length_of(kind, r, rows, columns, per_row);
        if (n > INT32_MAX - 32) {
            csr_free(a);
            return error_set(e, "more than 2^31 - 33 nonzeros");
        }
        a->start[r + 1] = (int)n;
    }
    if (!csr_new(a, (size_t)n, e))
        return false;
    fill_rows(a, kind, per_row);
    return true;
}

/* spmv: CSR to COO */
void coo_free(struct Coo *a)
{
    free(a->row);
    free(a->column);
    free(a->value);
    memset(a, 0, sizeof *a);
}

bool coo_make(struct Coo *a, const struct Csr *from, int skip,
              struct Error *e)
{
    const size_t most = (size_t)from->start[from->rows] + 1;
    *a = (struct Coo){ .rows = from->rows, .columns = from->columns };
    a->row = calloc(most, sizeof *a->row);
    a->column = calloc(most, sizeof *a->column);
    a->value = calloc(most, sizeof *a->value);
    if (!a->row || !a->column || !a->value) {
        coo_free(a);
        return error_set(e, "no memory for %zu nonzeros", most);
    }
    for (int r = 0; r < from->rows; r++)
        for (int i = from->start[r] + skip; i < from->start[r + 1]; i++) {
            a->row[a->n] = r;
            a->column[a->n] = from->column[i];
            a->value[a->n++] = from->value[i];
        }
    return true;
}

/* spmv: CSR to ELL */
void ell_free(struct Ell *a)
{
    free(a->column);
    free(a->value);
    memset(a, 0, sizeof *a);
}

bool ell_make(struct Ell *a, const struct Csr *from, int width,
              struct Error *e)
{
    const int pitch = (from->rows + 31) / 32 * 32;
    const size_t n = (size_t)width * (size_t)pitch;
    *a = (struct Ell){ .rows = from->rows, .columns = from->columns,
                       .width = width, .pitch = pitch };
    a->column = malloc((n + 1) * sizeof *a->column);
    a->value = calloc(n + 1, sizeof *a->value);
    if (!a->column || !a->value) {
        ell_free(a);
        return error_set(e, "no memory for %d columns of %d rows", width,
                         pitch);
    }
    for (size_t i = 0; i < n; i++)
        a->column[i] = -1;
    for (int r = 0; r < from->rows; r++)
        for (int k = 0; k < width; k++) {
            const size_t to = (size_t)k * (size_t)pitch + (size_t)r;
            const int i = from->start[r] + k;
            if (i >= from->start[r + 1])
                break;
            a->column[to] = from->column[i];
            a->value[to] = from->value[i];
        }
    return true;
}

/* spmv: choose the width of a hybrid */
int ell_width(const struct Csr *a)
{
    int most = 0;
    for (int r = 0; r < a->rows; r++)
        if (a->start[r + 1] - a->start[r] > most)
            most = a->start[r + 1] - a->start[r];
    return most;
}

/* longer[k]: rows with more than k nonzeros */
int hybrid_width(const struct Csr *a)
{
    const int most = ell_width(a);
    int *longer = calloc((size_t)most + 1, sizeof *longer), width = 0;
    if (!longer)
        return 0;
    for (int r = 0; r < a->rows; r++)
        if (a->start[r + 1] > a->start[r])
            longer[a->start[r + 1] - a->start[r] - 1]++;
    for (int k = most - 1; k >= 0; k--)
        longer[k] += longer[k + 1];
    while (width < most && 3 * (int64_t)longer[width]
                           >= 2 * (int64_t)a->rows)
        width++;
    free(longer);
    return width;
}
