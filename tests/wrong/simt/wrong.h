/* What the known-wrong kernels share.  Each NAME.cu is a program with one
 * mistake.  Its first line says what the sanitizer must call it; the line
 * it must point at ends in HERE, and that of the other party of a race in
 * OTHER.  Compiled with -DRIGHT the mistake is repaired, and the sanitizer
 * must be silent ("no twin": there is no such way). */
#include <stdio.h>
#include <stdlib.h>

template <typename T> static T *zeroes(size_t n)
{
    T *p;
    if (cudaMalloc(&p, n * sizeof *p) != cudaSuccess
        || cudaMemset(p, 0, n * sizeof *p) != cudaSuccess) {
        fprintf(stderr, "no device memory for %zu elements\n", n);
        exit(1);
    }
    return p;
}

/* Elements 0, 1, 2, ... */
template <typename T> static T *numbers(size_t n)
{
    T *p = zeroes<T>(n), *h = (T *)malloc(n * sizeof *h);
    for (size_t i = 0; i < n; i++)
        h[i] = (T)i;
    cudaMemcpy(p, h, n * sizeof *p, cudaMemcpyHostToDevice);
    free(h);
    return p;
}

static void finish(void)
{
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
}
