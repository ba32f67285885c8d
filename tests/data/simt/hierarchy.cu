/* The kernels of the chapter on the memory hierarchy, for tests/hierarchy.sh.
 *   hierarchy check    every transpose against its definition, as TAP rows
 *   hierarchy counts   one launch of each pattern; prints their names */
#include "backend/cuda.h"
#include "bench/access_kernels.h"
#include "ladder/transpose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 1024 };              /* floats before and behind a result */

static float *device_copy(const float *h, size_t n)
{
    float *d;
    CUDA_OK(cudaMalloc((void **)&d, n * sizeof *d));
    CUDA_OK(cudaMemcpy(d, h, n * sizeof *d, cudaMemcpyHostToDevice));
    return d;
}

static void check(const struct Transpose *v, int M, int N)
{
    size_t n = (size_t)M * N, all = n + 2 * GUARD, wrong = 0, hurt = 0;
    float *in = (float *)malloc(n * sizeof *in);
    float *out = (float *)malloc(all * sizeof *out);
    for (size_t i = 0; i < n; i++)
        in[i] = (float)i + 0.5f;
    for (size_t i = 0; i < all; i++)
        out[i] = i < GUARD || i >= GUARD + n ? -7.0f : NAN;
    float *d_in = device_copy(in, n), *d_out = device_copy(out, all);
    v->run(d_out + GUARD, d_in, M, N);
    CUDA_OK(cudaMemcpy(out, d_out, all * sizeof *out,
                       cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        wrong += !(out[GUARD + i % N * M + i / N] == in[i]);
    for (size_t i = 0; i < all; i++)
        hurt += (i < GUARD || i >= GUARD + n) && out[i] != -7.0f;
    printf("%s - transpose %s %dx%d\n", wrong + hurt ? "not ok" : "ok",
           v->name, M, N);
    if (wrong + hurt)
        printf("# %zu of %zu wrong, %zu outside\n", wrong, n, hurt);
    fflush(stdout);
    CUDA_OK(cudaFree(d_in));
    CUDA_OK(cudaFree(d_out));
    free(in);
    free(out);
}

static void check_all(const char *only)
{
    static const int sizes[][2] = { { 1, 1 }, { 1, 33 }, { 33, 1 },
        { 257, 1 }, { 33, 257 }, { 257, 33 }, { 64, 96 }, { 36, 260 },
        { 260, 36 }, { 524280, 1 }, { 1, 524280 } };
    /* the last two, the end of the contract, are slow and catch no other */
    const size_t n = sizeof sizes / sizeof *sizes - (only ? 2 : 0);
    for (const struct Transpose *v = transposes(); v->name; v++)
        for (size_t i = 0; i < n; i++) {
            int M = sizes[i][0], N = sizes[i][1];
            if ((!only || strcmp(only, v->name) == 0)
                && M % v->multiple + N % v->multiple == 0)
                check(v, M, N);
        }
}

static void counts(void)
{
    const int strides[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32 };
    const int bank[][2] = { { 4, 0 }, { 4, 1 }, { 4, 2 }, { 4, 8 },
        { 4, 32 }, { 4, 33 }, { 16, 0 }, { 16, 4 }, { 16, 32 }, { 16, 36 } };
    size_t n = 1 << 16;
    float *h = (float *)calloc(n, sizeof *h);
    float *x = device_copy(h, n), *y = device_copy(h, n);
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        gather(y, x, 1024, strides[i], 0);
        printf("stride.%d\n", strides[i]);
    }
    gather(y, x, 1024, 1, 1);
    printf("offset.1\n");
    for (int width = 1; width <= 16; width *= 2) {
        copy_by(y, x, 8192, width);
        printf("width.%d\n", width);
    }
    for (size_t i = 0; i < sizeof bank / sizeof *bank; i++) {
        read_banks(y, 1, bank[i][1], bank[i][0], 64);
        printf("bank%d.%d\n", bank[i][0], bank[i][1]);
    }
    for (const struct Transpose *v = transposes(); v->name; v++) {
        v->run(y, x, 256, 256);
        printf("transpose.%s\n", v->name);
    }
    CUDA_OK(cudaDeviceSynchronize());
    CUDA_OK(cudaFree(x));
    CUDA_OK(cudaFree(y));
    free(h);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "counts") == 0)
        counts();
    else
        check_all(argc > 2 ? argv[2] : NULL);
    return 0;
}
