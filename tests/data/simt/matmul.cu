/* Matrix products on CUDA cores, for tests/matmul_ladder.sh.
 *   matmul check [NAME]  every version against its definition, as TAP rows;
 *                        with NAME those whose second word it is
 *   matmul counts        one launch of each; prints their names */
#include "ladder_test.h"
#include "ladder/matmul.h"

/* c, made where it is aligned as cudaMalloc aligns; *hurt grows by the words
 * of its guards that have changed. */
static float *product(const struct Matmul *v, const float *a, const float *b,
                      int M, int N, int K, int *hurt)
{
    float *d_a = (float *)device_copy(a, (size_t)M * K * 4);
    float *d_b = (float *)device_copy(b, (size_t)K * N * 4);
    struct Guarded c = guarded_new(NULL, (size_t)M * N);
    v->run(c.x, d_a, d_b, M, N, K);
    float *h = guarded_take(&c, hurt);
    CUDA_OK(cudaFree(d_a));
    CUDA_OK(cudaFree(d_b));
    return h;
}

/* The same bits as a loop over k of multiply-adds. */
static void check_bits(const struct Matmul *v, int M, int N, int K)
{
    float *a = noise_new((size_t)M * K, 1, 0);
    float *b = noise_new((size_t)K * N, 2, 0);
    int wrong = 0;
    float *h = product(v, a, b, M, N, K, &wrong);
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            float sum = 0;
            for (int k = 0; k < K; k++)
                sum = fmaf(a[(size_t)m * K + k], b[(size_t)k * N + n], sum);
            wrong += memcmp(&sum, &h[(size_t)m * N + n], 4) != 0;
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
    float *a = noise_new(M * K, 3, 0), *b = noise_new(K * N, 4, 0);
    int wrong = 0;
    for (int i = 0; i < M * K; i++)
        a[i] = fabsf(a[i]) + 0.5f;
    a[20 * K + 11] = NAN;
    b[0] = INFINITY;
    float *h = product(v, a, b, M, N, K, &wrong);
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) {
            const float c = h[m * N + n];
            wrong += m == 20 ? !near(c, NAN, 0) : n == 0 ? !(c == INFINITY)
                                                         : !isfinite(c);
        }
    printf("%s - matmul %s of nan and inf\n", wrong ? "not ok" : "ok",
           v->name);
    free(a);
    free(b);
    free(h);
}

static void check_all(void)
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
        if (!wanted(v->name))
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
    float *a = noise_new(n * n, 1, 0), *b = noise_new(n * n, 2, 0);
    int hurt = 0;
    for (const struct Matmul *v = matmuls(); v->name; v++) {
        free(product(v, a, b, n, n, n, &hurt));
        printf("%s\n", v->name);
    }
    free(a);
    free(b);
    if (hurt)
        fail("%d words of guards have changed", hurt);
}

int main(int argc, char **argv)
{
    return ladder_main(argc, argv, check_all, counts);
}
