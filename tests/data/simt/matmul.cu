/* Matrix products on CUDA cores, for tests/matmul_ladder.sh.
 *   matmul check [NAME]  every version against its definition, as TAP rows;
 *                        with NAME those whose second word it is
 *   matmul counts        one launch of each; prints their names */
#include "backend/cuda.h"
#include "ladder/matmul.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64 };                /* words before and behind a result */
static const uint32_t UNTOUCHED = 0x7fc0dead;           /* a NaN */

static uint32_t hash(uint32_t z)
{
    z = (z ^ (z >> 16)) * 0x85ebca6bu;
    z = (z ^ (z >> 13)) * 0xc2b2ae35u;
    return z ^ (z >> 16);
}

static void *room(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p)
        fail("no memory for %zu bytes", bytes);
    return p;
}

static float *random_floats(size_t n, uint32_t seed)
{
    float *x = (float *)room(n * 4);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(int32_t)hash((uint32_t)i * 7 + seed) * 0x1p-31f;
    return x;
}

static float *device_copy(const void *h, size_t words)
{
    float *d;
    CUDA_OK(cudaMalloc(&d, words * 4));
    CUDA_OK(cudaMemcpy(d, h, words * 4, cudaMemcpyHostToDevice));
    return d;
}

/* c between two guards, from where it is aligned as cudaMalloc aligns. */
static uint32_t *product(const struct Matmul *v, const float *a,
                         const float *b, int M, int N, int K)
{
    const size_t n = (size_t)M * N, all = n + 2 * GUARD;
    uint32_t *h = (uint32_t *)room(all * 4);
    for (size_t i = 0; i < all; i++)
        h[i] = UNTOUCHED;
    float *d_a = device_copy(a, (size_t)M * K);
    float *d_b = device_copy(b, (size_t)K * N), *d_c = device_copy(h, all);
    v->run(d_c + GUARD, d_a, d_b, M, N, K);
    CUDA_OK(cudaMemcpy(h, d_c, all * 4, cudaMemcpyDeviceToHost));
    CUDA_OK(cudaFree(d_a));
    CUDA_OK(cudaFree(d_b));
    CUDA_OK(cudaFree(d_c));
    return h;
}

static int hurt(const uint32_t *h, size_t n)
{
    int bad = 0;
    for (size_t i = 0; i < GUARD; i++)
        bad += (h[i] != UNTOUCHED) + (h[GUARD + n + i] != UNTOUCHED);
    return bad;
}

/* The same bits as a loop over k of multiply-adds. */
static void check_bits(const struct Matmul *v, int M, int N, int K)
{
    float *a = random_floats((size_t)M * K, 1);
    float *b = random_floats((size_t)K * N, 2);
    uint32_t *h = product(v, a, b, M, N, K);
    int wrong = hurt(h, (size_t)M * N);
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            float sum = 0;
            for (int k = 0; k < K; k++)
                sum = fmaf(a[(size_t)m * K + k], b[(size_t)k * N + n], sum);
            wrong += memcmp(&sum, &h[GUARD + (size_t)m * N + n], 4) != 0;
        }
    printf("%s - matmul %s M=%d N=%d K=%d\n", wrong ? "not ok" : "ok",
           v->name, M, N, K);
    fflush(stdout);
    free(a);
    free(b);
    free(h);
}

/* A NaN in a is in its row of c and nowhere else, an infinity in b in its
 * column, also where a tile is deeper than the matrix. */
static void check_special(const struct Matmul *v)
{
    const int M = 37, N = 44, K = 12;
    float *a = random_floats(M * K, 3), *b = random_floats(K * N, 4);
    int wrong;
    for (int i = 0; i < M * K; i++)
        a[i] = fabsf(a[i]) + 0.5f;
    a[20 * K + 11] = NAN;
    b[0] = INFINITY;
    uint32_t *h = product(v, a, b, M, N, K);
    wrong = hurt(h, M * N);
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            float c;
            memcpy(&c, &h[GUARD + m * N + n], 4);
            wrong += m == 20 ? !isnan(c) : n == 0 ? !(c == INFINITY)
                                                  : !isfinite(c);
        }
    printf("%s - matmul %s of nan and inf\n", wrong ? "not ok" : "ok",
           v->name);
    free(a);
    free(b);
    free(h);
}

static void check_all(const char *only)
{
    static const int sizes[][3] = {
        { 1, 1, 1 },            /* nearly all of a tile is outside         */
        { 33, 35, 31 },         /* nothing aligned                         */
        { 33, 36, 32 },         /* aligned, less than a tile               */
        { 132, 132, 40 },       /* aligned, a whole number of tiles deep   */
        { 130, 260, 132 },      /* aligned, and no tile divides            */
        { 257, 129, 65 },       /* a row and a column of tiles too many    */
        { 129, 132, 7 },        /* less than a tile deep                   */
        { 132, 129, 8 },        /* b not aligned, a tile deep              */
        { 1, 516, 16 },         /* one row                                 */
    };
    const size_t n = sizeof sizes / sizeof *sizes;
    for (const struct Matmul *v = matmuls(); v->name; v++) {
        if (only && strcmp(only, v->name) != 0)
            continue;
        for (size_t i = 0; i < n; i++)
            check_bits(v, sizes[i][0], sizes[i][1], sizes[i][2]);
        check_special(v);
        if (!v[1].name) {       /* enough tiles for the large ones */
            check_bits(v, 1281, 1796, 16);
            check_bits(v, 1281, 1797, 12);
            check_bits(v, 1281, 1796, 12);
        }
    }
}

static void counts(void)
{
    const int n = 256;
    float *a = random_floats(n * n, 1), *b = random_floats(n * n, 2);
    for (const struct Matmul *v = matmuls(); v->name; v++) {
        free(product(v, a, b, n, n, n));
        printf("%s\n", v->name);
    }
    free(a);
    free(b);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "counts") == 0)
        counts();
    else
        check_all(argc > 2 ? argv[2] : NULL);
    return 0;
}
