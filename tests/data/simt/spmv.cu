/* The sparse products of the chapter on the roofline, for tests/spmv.sh.
 *   spmv check    every version against its definition, as TAP rows
 *   spmv counts   one launch of each; prints their names */
#include "backend/cuda.h"
#include "ladder/spmv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64 };                /* floats before and behind a result */

static void *device_copy(const void *h, size_t bytes)
{
    void *d;
    CUDA_OK(cudaMalloc(&d, bytes ? bytes : 4));
    CUDA_OK(cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice));
    return d;
}

/* How many nonzeros row r has: 0 to 2 * mean, the same for every mean row
 * if even; one row of a skewed matrix has 300 more. */
static int length_of(const char *kind, int r, int mean)
{
    if (strcmp(kind, "even") == 0)
        return mean;
    int n = (r * 7 + 3) % (2 * mean + 1);
    return strcmp(kind, "skewed") == 0 && r == 5 ? n + 300 : n;
}

struct Host { int *start, *column, rows, columns; float *value, *x; };

static struct Host host_new(const char *kind, int rows, int columns,
                            int mean)
{
    struct Host h;
    h.rows = rows;
    h.columns = columns;
    h.start = (int *)malloc((rows + 1) * sizeof(int));
    h.start[0] = 0;
    for (int r = 0; r < rows; r++)
        h.start[r + 1] = h.start[r] + length_of(kind, r, mean);
    size_t n = h.start[rows];
    h.column = (int *)malloc(n * sizeof(int) + 4);
    h.value = (float *)malloc(n * sizeof(float) + 4);
    h.x = (float *)malloc(columns * sizeof(float));
    for (size_t i = 0; i < n; i++) {
        h.column[i] = (int)(i * 2654435761u % (unsigned)columns);
        h.value[i] = (float)(i % 17) - 8;
    }
    for (int c = 0; c < columns; c++)
        h.x[c] = (float)(c % 13) - 5;
    return h;
}

static struct Csr to_device(const struct Host *h)
{
    size_t n = h->start[h->rows];
    struct Csr a = { h->rows, h->columns,
        (int *)device_copy(h->start, (h->rows + 1) * sizeof(int)),
        (int *)device_copy(h->column, n * sizeof(int)),
        (float *)device_copy(h->value, n * sizeof(float)) };
    return a;
}

static void all_free(struct Host *h, struct Csr *a, float *x, float *y)
{
    const void *device[] = { a->start, a->column, a->value, x, y };
    for (int i = 0; i < 5; i++)
        CUDA_OK(cudaFree((void *)device[i]));
    free(h->start);
    free(h->column);
    free(h->value);
    free(h->x);
}

/* All numbers are small integers: every order of the sums is exact. */
static void check(const struct Spmv *v, const char *kind, int rows,
                  int columns, int mean)
{
    struct Host h = host_new(kind, rows, columns, mean);
    struct Csr a = to_device(&h);
    size_t all = rows + 2 * GUARD;
    float *y = (float *)malloc(all * sizeof *y);
    int wrong = 0, hurt = 0;
    for (size_t i = 0; i < all; i++)
        y[i] = i < GUARD || i >= (size_t)GUARD + rows ? -7.0f : NAN;
    float *d_y = (float *)device_copy(y, all * sizeof *y);
    float *d_x = (float *)device_copy(h.x, columns * sizeof *h.x);
    v->run(d_y + GUARD, &a, d_x);
    CUDA_OK(cudaMemcpy(y, d_y, all * sizeof *y, cudaMemcpyDeviceToHost));
    for (int r = 0; r < rows; r++) {
        float sum = 0;
        for (int i = h.start[r]; i < h.start[r + 1]; i++)
            sum += h.value[i] * h.x[h.column[i]];
        wrong += !(y[GUARD + r] == sum);
    }
    for (size_t i = 0; i < all; i++)
        hurt += (i < GUARD || i >= (size_t)GUARD + rows) && y[i] != -7.0f;
    printf("%s - spmv %s %s %dx%d mean %d\n", wrong + hurt ? "not ok" : "ok",
           v->name, kind, rows, columns, mean);
    if (wrong + hurt)
        printf("# %d of %d rows wrong, %d outside\n", wrong, rows, hurt);
    fflush(stdout);
    free(y);
    all_free(&h, &a, d_x, d_y);
}

static void check_all(void)
{
    for (const struct Spmv *v = spmvs(); v->name; v++) {
        check(v, "even", 1, 1, 1);
        check(v, "even", 257, 33, 32);
        check(v, "even", 33, 257, 33);
        check(v, "odd", 300, 100, 2);
        check(v, "odd", 7, 1000, 70);
        check(v, "skewed", 129, 64, 3);
        check(v, "even", 0, 5, 0);
    }
}

static void counts(void)
{
    struct Host h = host_new("even", 1024, 1024, 32);
    for (size_t i = 0; i < 1024 * 32; i++)      /* x is read in order */
        h.column[i] = (int)(i / 32 + i % 32) % 1024;
    struct Csr a = to_device(&h);
    float *x = (float *)device_copy(h.x, 4096);
    float *y = (float *)device_copy(h.x, 4096);
    for (const struct Spmv *v = spmvs(); v->name; v++) {
        v->run(y, &a, x);
        printf("%s\n", v->name);
    }
    CUDA_OK(cudaDeviceSynchronize());
    all_free(&h, &a, x, y);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "counts") == 0)
        counts();
    else
        check_all();
    return 0;
}
