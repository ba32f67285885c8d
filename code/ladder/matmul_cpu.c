/* Tangled from chapters/workshop/measuring-a-cpu.nw, "The rest of the matmul".  Edit it there. */

#include "ladder/matmul_cpu.h"

#include <stddef.h>
#include <string.h>

/* matmul, step 1: the definition */
void matmul_naive(float *c, const float *a, const float *b, int M, int N,
                  int K, int flags)
{
    (void)flags;
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            float sum = 0;
            for (int k = 0; k < K; k++)
                sum += a[(size_t)m * K + k] * b[(size_t)k * N + n];
            c[(size_t)m * N + n] = sum;
        }
}

/* matmul, step 2: rows of b */
static void add_rows(float *c, const float *a, const float *b, int n,
                     int depth, size_t ldb)
{
    for (int k = 0; k < depth; k++)
        for (int j = 0; j < n; j++)
            c[j] += a[k] * b[k * ldb + j];
}

void matmul_reordered(float *c, const float *a, const float *b, int M,
                      int N, int K, int flags)
{
    (void)flags;
    memset(c, 0, sizeof *c * (size_t)M * N);
    for (int m = 0; m < M; m++)
        add_rows(c + (size_t)m * N, a + (size_t)m * K, b, N, K, N);
}

/* matmul, step 3: blocks of b */
void matmul_blocked(float *c, const float *a, const float *b, int M, int N,
                    int K, int flags)
{
    enum { DEPTH = 64, WIDTH = 1024 };
    (void)flags;
    memset(c, 0, sizeof *c * (size_t)M * N);
    for (int n = 0; n < N; n += WIDTH)
        for (int k = 0; k < K; k += DEPTH)
            for (int m = 0; m < M; m++)
                add_rows(c + (size_t)m * N + n, a + (size_t)m * K + k,
                         b + (size_t)k * N + n,
                         N - n < WIDTH ? N - n : WIDTH,
                         K - k < DEPTH ? K - k : DEPTH, N);
}
