/* The systolic array: products of any shape, cycles by the formula, and the
 * numbers that chapter 2 prints (UPDATE_FACTS=DATE writes them). */
#include "lessons/systolic_array.h"
#include "rows.h"

/* Small integers, so that sums are exact whatever their order. */
static float *matrix(size_t n, unsigned seed)
{
    float *x = malloc(sizeof *x * (n + 16));
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(seed >> 24) - 128;
    }
    for (size_t i = n; i < n + 16; i++)
        x[i] = NAN;                     /* guards: read, they spread */
    return x;
}

static uint64_t tiles(int n, int by)
{
    return (uint64_t)((n + by - 1) / by);
}

static void product(const struct Row *row)
{
    int R = row_int(row, "R"), C = row_int(row, "C"), M = row_int(row, "M"),
        K = row_int(row, "K"), N = row_int(row, "N");
    size_t size = (size_t)M * (size_t)N;
    float *x = matrix((size_t)M * (size_t)K, 1);
    float *w = matrix((size_t)K * (size_t)N, 2);
    float *y = matrix(size, 3);
    for (size_t i = 0; i < size; i++)
        y[i] = NAN;
    struct Systolic s = systolic_new(R, C);
    for (int twice = 0; twice < 2; twice++) {   /* a used array again */
        systolic_matmul(&s, y, x, w, M, K, N);
        for (int m = 0; m < M; m++)
            for (int n = 0; n < N; n++) {
                double sum = 0;
                for (int k = 0; k < K; k++)
                    sum += (double)x[m * K + k] * w[k * N + n];
                if (!(y[m * N + n] == (float)sum))
                    fail_msg("y[%d,%d] is %g, expected %g", m, n,
                             y[m * N + n], sum);
            }
    }
    for (size_t i = size; i < size + 16; i++)
        if (!isnan(y[i]))
            fail_msg("wrote %zu elements behind y", i - size + 1);
    uint64_t passes = tiles(K, R) * tiles(N, C);
    uint64_t each = (uint64_t)R + (uint64_t)(M + R + C - 2);
    assert_int_equal(s.cycles, 2 * passes * each);
    assert_int_equal(s.useful, 2 * (uint64_t)M * (uint64_t)K * (uint64_t)N);
    systolic_free(&s);
    free(x);
    free(w);
    free(y);
}

/* A result is there exactly when the formula says, not a tick earlier. */
static void last_tick(const struct Row *row)
{
    int R = row_int(row, "R"), C = row_int(row, "C"), M = row_int(row, "M");
    struct Systolic s = systolic_new(R, C);
    float *x = matrix((size_t)M * (size_t)R, 4);
    float *w = matrix((size_t)R * (size_t)C, 5);
    float *y = calloc((size_t)M * (size_t)C, sizeof *y);
    systolic_load(&s, w, C, R, C);
    assert_int_equal(s.cycles, R);
    systolic_stream(&s, y, C, x, R, M, R, C);
    assert_int_equal(s.cycles, R + M + R + C - 2);
    /* after the last tick only the last row is left, in the last column */
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++) {
            int m = M + R + C - 3 - r - c;
            assert_int_equal(s.cell[r * C + c].m, m < M ? m : -1);
        }
    systolic_free(&s);
    free(x);
    free(w);
    free(y);
}

#define CSV "figures/data/systolic.csv"

static double use(int M)
{
    struct Systolic s = systolic_new(128, 128);
    float *x = matrix((size_t)M * 128, 6), *w = matrix(128 * 128, 7);
    float *y = calloc((size_t)M * 128, sizeof *y);
    systolic_matmul(&s, y, x, w, M, 128, 128);
    double percent = 100.0 * (double)s.useful / (double)s.cycles / 16384;
    systolic_free(&s);
    free(x);
    free(w);
    free(y);
    return percent;
}

static void facts(const struct Row *row)
{
    (void)row;
    static const int M[] = { 1, 128, 4096 };
    char text[1000] = "name,value,unit,machine,command,commit,date\n";
    for (int i = 0; i < 3; i++) {
        double percent = use(M[i]);
        assert_true(fabs(percent - 100.0 * M[i] / (M[i] + 382)) < 1e-9);
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "systolic.use.%d,%.4g,%%,none,build/tests-opt/"
                 "test_systolic,,2026-11-21\n", M[i], percent);
    }
    if (getenv("UPDATE_FACTS")) {
        FILE *f = fopen(CSV, "w");
        assert_non_null(f);
        fputs(text, f);
        fclose(f);
    }
    char file[1000] = "";
    FILE *f = fopen(CSV, "r");
    assert_non_null(f);
    size_t n = fread(file, 1, sizeof file - 1, f);
    fclose(f);
    file[n] = 0;
    if (strcmp(file, text) != 0)
        fail_msg(CSV " is stale; run with UPDATE_FACTS=1");
}

int main(void)
{
    static const struct Row rows[] = {
        { "systolic R=1 C=1 M=1 K=1 N=1", product, "a formula that is off by one" },
        { "systolic R=3 C=3 M=4 K=3 N=3", product, "no skew; the array of the figure" },
        { "systolic R=4 C=3 M=7 K=4 N=3", product, "rows and columns exchanged" },
        { "systolic R=3 C=5 M=1 K=3 N=5", product, "results taken a tick early" },
        { "systolic R=4 C=4 M=6 K=3 N=2", product, "cells outside keep old weights" },
        { "systolic R=4 C=4 M=5 K=9 N=6", product, "sums of later tiles not added" },
        { "systolic R=8 C=4 M=33 K=17 N=13", product, "leading dimensions of the tile taken for the matrix's" },
        { "systolic R=16 C=16 M=3 K=257 N=1", product, "tails of every kind" },
        { "ticks R=3 C=3 M=4", last_tick, "a tick too many" },
        { "ticks R=5 C=2 M=1", last_tick, "a neighbour read after it moved" },
        { "numbers of the chapter", facts, "stale numbers" },
    };
    return rows_run("systolic", rows, sizeof rows / sizeof *rows);
}
