/* What the programs of this folder share.  Each NAME.cu runs one idiom,
 * compares its results with those of the CPU, and prints "NAME ok", or
 * "NAME wrong: what, got, expected" with status 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL 0xffffffffu

static void *held[64];                  /* device memory, freed at the end */
static int n_held;

/* The name of the program: that of its file. */
static inline int name_length(const char **name)
{
    const char *slash = strrchr(__BASE_FILE__, '/');
    *name = slash ? slash + 1 : __BASE_FILE__;
    return (int)strcspn(*name, ".");
}

static inline void check(cudaError_t e, const char *what)
{
    const char *name;
    int n = name_length(&name);
    if (e == cudaSuccess)
        return;
    printf("%.*s wrong: %s, %s, no error\n", n, name, what,
           cudaGetErrorString(e));
    while (n_held > 0)
        cudaFree(held[--n_held]);
    exit(1);
}

static inline void release(void)
{
    while (n_held > 0)
        check(cudaFree(held[--n_held]), "cudaFree");
}

template <typename T> static T *zeroes(int n)
{
    T *p;
    check(cudaMalloc(&p, n * sizeof *p), "cudaMalloc");
    check(cudaMemset(p, 0, n * sizeof *p), "cudaMemset");
    check(n_held < 64 ? cudaSuccess : cudaErrorInvalidValue, "64 arrays");
    held[n_held++] = p;
    return p;
}

template <typename T> static T *device(const T *h, int n)
{
    T *p = zeroes<T>(n);
    check(cudaMemcpy(p, h, n * sizeof *p, cudaMemcpyHostToDevice),
          "cudaMemcpy to the device");
    return p;
}

/* Waits for the kernels before it and copies their results. */
template <typename T> static void fetch(T *h, const T *d, int n)
{
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");
    check(cudaMemcpy(h, d, n * sizeof *h, cudaMemcpyDeviceToHost),
          "cudaMemcpy to the host");
}

/* Element i of a result is what it should be, or the program ends. */
template <typename T>
static void same(const char *what, int i, T got, T expected)
{
    const char *name;
    int n = name_length(&name);
    if (got == expected)
        return;
    printf("%.*s wrong: %s %d, %.17g, %.17g\n", n, name, what, i,
           (double)got, (double)expected);
    release();
    exit(1);
}

template <typename T>
static void all_same(const char *what, const T *got, const T *expected,
                     int n)
{
    for (int i = 0; i < n; i++)
        same(what, i, got[i], expected[i]);
}

static inline int done(void)
{
    const char *name;
    int n = name_length(&name);
    release();
    printf("%.*s ok\n", n, name);
    return 0;
}

/* Numbers that look like chance, on the host and in kernels. */
static __host__ __device__ inline unsigned noise(unsigned i)
{
    i = (i + 0x9e3779b9u) * 0x85ebca6bu;
    i = (i ^ i >> 15) * 0xc2b2ae35u;
    return i ^ i >> 13;
}
