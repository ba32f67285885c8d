/* Softmax and attention of chapter 12, for tests/attention.sh.
 *   attention check     every version against its definition, as TAP rows
 *   attention counts    one launch of each kernel; prints their names */
#include "backend/cuda.h"
#include "ladder/attention.h"
#include "ladder/softmax.h"
#include "ops/attention/attention.h"
#include "ops/attention/attention_bf16.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 1024 };              /* floats before and behind a result */

static float noise(size_t i)
{
    unsigned z = (unsigned)i * 0x9e3779b9u + 12345;
    z = (z ^ (z >> 16)) * 0x85ebca6bu;
    z = (z ^ (z >> 13)) * 0xc2b2ae35u;
    return (float)(z ^ (z >> 16)) / 2147483648.0f - 1;
}

static float *device_copy(const float *h, size_t n)
{
    float *d;
    CUDA_OK(cudaMalloc((void **)&d, n * sizeof *d));
    CUDA_OK(cudaMemcpy(d, h, n * sizeof *d, cudaMemcpyHostToDevice));
    return d;
}

static float *random_floats(size_t n)
{
    float *h = (float *)malloc(n * sizeof *h);
    for (size_t i = 0; i < n; i++)
        h[i] = noise(i);
    float *d = device_copy(h, n);
    free(h);
    return d;
}

/* What a row of softmax holds: "part": the first half is -infinity; "none":
 * all of it; "nan": one NaN; "large": numbers up to 3,000. */
static float element(const char *kind, int c, int C)
{
    if (strcmp(kind, "none") == 0 || (strcmp(kind, "part") == 0
                                      && c < C / 2))
        return -INFINITY;
    if (strcmp(kind, "nan") == 0 && c == C / 3)
        return NAN;
    return noise((size_t)c) * (strcmp(kind, "large") == 0 ? 3000 : 5);
}

static void check_softmax(const struct Softmax *v, const char *kind, int C)
{
    enum { N = 2 };
    size_t n = (size_t)N * C, all = n + 2 * GUARD, wrong = 0, hurt = 0;
    float *in = (float *)malloc(n * sizeof *in);
    float *out = (float *)malloc(all * sizeof *out);
    for (size_t i = 0; i < n; i++)
        in[i] = element(kind, (int)(i % C), C);
    for (size_t i = 0; i < all; i++)
        out[i] = i < GUARD || i >= GUARD + n ? -7.0f : NAN;
    float *d_in = device_copy(in, n), *d_out = device_copy(out, all);
    v->run(d_out + GUARD, d_in, N, C);
    CUDA_OK(cudaMemcpy(out, d_out, all * sizeof *out,
                       cudaMemcpyDeviceToHost));
    double most = -INFINITY, sum = 0;
    for (int c = 0; c < C; c++)
        most = fmax(most, in[c]);
    for (int c = 0; c < C; c++)
        sum += exp(in[c] - most);
    for (size_t i = 0; i < n; i++) {
        double want = exp(in[i] - most) / sum, got = out[GUARD + i];
        wrong += isnan(want) ? !isnan(got)
                             : !(fabs(got - want) <= 1e-5 * want + 1e-9);
    }
    for (size_t i = 0; i < all; i++)
        hurt += (i < GUARD || i >= GUARD + n) && out[i] != -7.0f;
    printf("%s - softmax %s %s C=%d\n", wrong + hurt ? "not ok" : "ok",
           v->name, kind, C);
    if (wrong + hurt)
        printf("# %zu of %zu wrong, %zu outside\n", wrong, n, hurt);
    fflush(stdout);
    CUDA_OK(cudaFree(d_in));
    CUDA_OK(cudaFree(d_out));
    free(in);
    free(out);
}

/* The square against the tiles of chapter 15b. */
static void check_square(int B, int T, int C, int NH)
{
    size_t n = (size_t)B * T * C, s = (size_t)B * NH * T, wrong = 0;
    float *qkv = random_floats(3 * n), *y = random_floats(n);
    float *z = random_floats(n), *lse = random_floats(s);
    float *square = random_floats(s * T);
    float *a = (float *)malloc(n * 4), *b = (float *)malloc(n * 4);
    attention_square(y, square, qkv, B, T, C, NH);
    attention_fwd(z, lse, qkv, B, T, C, NH);
    CUDA_OK(cudaMemcpy(a, y, n * 4, cudaMemcpyDeviceToHost));
    CUDA_OK(cudaMemcpy(b, z, n * 4, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        wrong += !(fabsf(a[i] - b[i]) < 1e-5f);
    printf("%s - the square B=%d T=%d C=%d NH=%d\n",
           wrong ? "not ok" : "ok", B, T, C, NH);
    void *all[] = { qkv, y, z, lse, square };
    for (int i = 0; i < 5; i++)
        CUDA_OK(cudaFree(all[i]));
    free(a);
    free(b);
}

static void check_all(const char *only)
{
    static const char *const kinds[] = { "any", "part", "none", "nan",
                                         "large" };
    static const int sizes[] = { 1, 33, 513, 1030 };
    for (const struct Softmax *v = softmaxes(); v->name; v++)
        for (int k = 0; k < 5; k++)
            for (int i = 0; i < 4; i++)
                if (!only || strcmp(only, v->name) == 0)
                    check_softmax(v, kinds[k], sizes[i]);
    if (!only || strcmp(only, "square") == 0) {
        check_square(1, 1, 32, 1);
        check_square(2, 33, 160, 2);
    }
}

static void counts(void)
{
    int B = 1, T = 256, NH = 2, C = 128;
    size_t n = (size_t)B * T * C, s = (size_t)B * NH * T;
    float *qkv = random_floats(3 * n), *y = random_floats(n);
    float *lse = random_floats(s), *square = random_floats(s * T);
    bf16 *h = (bf16 *)calloc(8 * n, 2), *all;
    CUDA_OK(cudaMalloc((void **)&all, 8 * n * 2));
    CUDA_OK(cudaMemcpy(all, h, 8 * n * 2, cudaMemcpyHostToDevice));
    for (const struct Softmax *v = softmaxes(); v->name; v++) {
        v->run(square, qkv, 4, 16384);
        printf("softmax.%s\n", v->name);
    }
    attention_square(y, square, qkv, B, T, C, NH);
    printf("square.scores\nsquare.softmax\nsquare.values\n");
    attention_fwd(y, lse, qkv, B, T, C, NH);
    printf("tiles.fwd\n");
    attention_bf16_fwd(all, lse, all + n, B, T, C, NH);
    printf("mma.fwd\n");
    attention_bf16_bwd(all + 4 * n, NULL, all + 7 * n, all + n, all, lse, B, T, C,
                       NH, false);
    printf("mma.dsum\nmma.dkv\nmma.dq\n");
    CUDA_OK(cudaDeviceSynchronize());
    void *free_all[] = { qkv, y, lse, square, all };
    for (int i = 0; i < 5; i++)
        CUDA_OK(cudaFree(free_all[i]));
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
