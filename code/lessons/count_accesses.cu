/* Tangled from chapters/workshop/simt-counters.nw, "count-accesses".  Edit it there. */

/* count-accesses: kernels whose requests are worth counting, launched once
 * each, their results checked.  What was counted is in the report of the
 * software GPU (SIMT_REPORT=table, lines or csv), or in that of ncu. */
#include "backend/cuda.h"
#include "bench/access_kernels.h"
#include "ladder/transpose.h"
extern "C" {
#include "base/args.h"
}
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1024, MAX_STRIDE = 64, ROWS = 64, COLUMNS = 96,
       NUMBERS = N * MAX_STRIDE + MAX_STRIDE };

/* read eight values, in two orders */
__global__ void quads(float4 *y,
                      const float4 *x)
{
    /* bring eight values */
    __shared__ float4 s[8];
    const int l = threadIdx.x;
    if (l < 8)
        s[l] = x[l];
    __syncthreads();
    y[l] = s[l / 4];
}

__global__ void mod8(float4 *y,
                     const float4 *x)
{
    /* bring eight values */
    __shared__ float4 s[8];
    const int l = threadIdx.x;
    if (l < 8)
        s[l] = x[l];
    __syncthreads();
    y[l] = s[l % 8];
}

/* count-accesses: two arrays */
static float *h_x, *h_y, *d_x, *d_y;
enum { BYTES = NUMBERS * (int)sizeof(float) };

static void arrays_new(void)
{
    h_x = (float *)malloc(BYTES);
    h_y = (float *)malloc(BYTES);
    if (!h_x || !h_y)
        fail("no memory for two arrays of %d bytes", BYTES);
    for (int i = 0; i < NUMBERS; i++)
        h_x[i] = (float)i + 0.5f;
    CUDA_OK(cudaMalloc(&d_x, BYTES));
    CUDA_OK(cudaMalloc(&d_y, BYTES));
    CUDA_OK(cudaMemcpy(d_x, h_x, BYTES, cudaMemcpyHostToDevice));
}

static void arrays_free(void)
{
    CUDA_OK(cudaFree(d_x));
    CUDA_OK(cudaFree(d_y));
    free(h_x);
    free(h_y);
}

static void before(void)
{
    CUDA_OK(cudaMemset(d_y, 0xff, BYTES));          /* NaN */
}

static void after(void)
{
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(h_y, d_y, BYTES, cudaMemcpyDeviceToHost));
}

/* Element i of the result is element `from` of x. */
static void expect(const char *word, int i, int from)
{
    if (!(h_y[i] == h_x[from]))
        fail("%s: element %d is %g, expected %g", word, i, h_y[i],
             h_x[from]);
}

/* count-accesses: gather */
static void count_gather(const char *word, int stride, int offset)
{
    before();
    gather(d_y, d_x, N, stride, offset);
    after();
    for (int i = 0; i < N; i++)
        expect(word, i, i * stride + offset);
}

/* count-accesses: copy */
static void count_copy(const char *word, int width)
{
    before();
    copy_by(d_y, d_x, (size_t)N * width, width);
    after();
    for (int i = 0; i < N * width / 4; i++)
        expect(word, i, i);
}

/* count-accesses: transpose */
static bool count_transpose(const char *word)
{
    const struct Transpose *v = transposes();
    while (v->name && strcmp(v->name, word) != 0)
        v++;
    if (!v->name)
        return false;
    before();
    v->run(d_y, d_x, ROWS, COLUMNS);
    after();
    for (int i = 0; i < ROWS * COLUMNS; i++)
        expect(word, i, i % ROWS * COLUMNS + i / ROWS);
    return true;
}

/* count-accesses: read eight values */
static void count_eight(const char *word, bool neighbours)
{
    before();
    if (neighbours)
        quads<<<1, 32>>>((float4 *)d_y, (const float4 *)d_x);
    else
        mod8<<<1, 32>>>((float4 *)d_y, (const float4 *)d_x);
    after();
    for (int i = 0; i < 128; i++) {
        const int l = i / 4, value = neighbours ? l / 4 : l % 8;
        expect(word, i, 4 * value + i % 4);
    }
}

/* count-accesses: find what a word names */
/* -> word is `prefix` and a number of lowest to highest, which is in *n */
static bool numbered(const char *word, const char *prefix, int lowest,
                     int highest, int *n)
{
    const size_t length = strlen(prefix);
    char *end;
    if (strncmp(word, prefix, length) != 0 || word[length] < '0'
        || word[length] > '9')
        return false;
    const long value = strtol(word + length, &end, 10);
    *n = (int)value;
    return *end == 0 && value >= lowest && value <= highest;
}

static bool count(const char *word)
{
    int n;
    if (numbered(word, "stride-", 1, MAX_STRIDE, &n))
        count_gather(word, n, 0);
    else if (numbered(word, "offset-", 0, MAX_STRIDE, &n))
        count_gather(word, 1, n);
    else if (numbered(word, "copy-", 1, 16, &n) && (n & (n - 1)) == 0)
        count_copy(word, n);
    else if (strcmp(word, "quads") == 0 || strcmp(word, "mod8") == 0)
        count_eight(word, word[0] == 'q');
    else
        return count_transpose(word);
    return true;
}

/* count-accesses: launch each */
static const struct Option options[] = {
    { NULL, OPT_END, NULL, 0, 0, NULL, NULL, NULL },
};

static const struct Usage usage = {
    "LAUNCH...", "Launch kernels whose accesses are to be counted.",
    "LAUNCH is quads, mod8, stride-1 to stride-64, offset-0 to "
    "offset-64,\ncopy-1, 2, 4, 8 or 16, or v1 to v7, a transpose.\n"
};

int main(int argc, char **argv)
{
    const int words = args_parse(argc, argv, options, &usage);
    if (words == 0)
        misuse("nothing to launch; --help lists what there is");
    arrays_new();
    for (int i = 0; i < words; i++)
        if (!count(argv[i])) {
            arrays_free();
            misuse("%s: no such launch; --help lists them", argv[i]);
        }
    printf("%d launched, all right\n", words);
    arrays_free();
    return 0;
}
