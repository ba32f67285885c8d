/* Tangled from chapters/preface.nw, "One experiment before anything else".  Edit it there. */

#include "backend/cpu_peak.h"
#include "base/clock.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

/* add two vectors on all cores */
static void add(float *c, const float *a, const float *b, size_t n)
{
#pragma omp parallel for
    for (size_t i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

/* find the median of a few times */
static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, compare);
    return x[n / 2];
}

int main(void)
{
    /* make vectors larger than any cache */
    size_t n = (size_t)32 * 1024 * 1024;
    float *a = malloc(n * sizeof *a);
    float *b = malloc(n * sizeof *b);
    float *c = malloc(n * sizeof *c);
    if (!a || !b || !c) {
        fputs("add-vectors: needs 403 MB of memory\n", stderr);
        return 1;
    }
    for (size_t i = 0; i < n; i++) {
        a[i] = (float)(i % 1000) + 0.5f;
        b[i] = (float)(i % 777) - 3.25f;
    }
    /* add them eleven times, with the clock running */
    enum { RUNS = 11 };
    double time_s[RUNS];
    for (int r = 0; r < RUNS; r++) {
        double start = now_s();
        add(c, a, b, n);
        time_s[r] = now_s() - start;
    }
    double t = median(time_s, RUNS);
    /* check every sum */
    for (size_t i = 0; i < n; i++)
        if (!(c[i] == a[i] + b[i])) {
            printf("element %zu is wrong\n", i);
            return 1;
        }
    /* measure the ceilings of this processor */
    int threads = omp_get_max_threads();
    double copy = 1e9 * cpu_bandwidth(threads, 12 * n, 1.0).copy;
    double peak = 1e9 * cpu_peak_gflops(threads, 0.5);
    /* print the rates beside their ceilings */
    double flops = (double)n / t, bytes = 12.0 * (double)n / t;
    printf("add two vectors  %6.1f GB/s   %8.2f GFLOP/s\n", bytes / 1e9,
           flops / 1e9);
    printf("ceilings         %6.1f GB/s   %8.2f GFLOP/s\n", copy / 1e9,
           peak / 1e9);
    printf("used             %6.1f %%      %8.2f %%\n", 100 * bytes / copy,
           100 * flops / peak);
    free(a);
    free(b);
    free(c);
}
