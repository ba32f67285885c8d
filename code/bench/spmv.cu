/* Tangled from chapters/workshop/measuring-ceilings.nw, "spmv: sparse matrices against vectors".  Edit it there. */

/* spmv: sparse matrix times vector, every format, several matrices; and a
 * product with two of four. */
#include "bench/cuda_bench.cuh"
#include "ladder/spmv.h"
#include "ladder/two_four.h"
#include "ops/kernels/bf16.h"

enum { RUNS = 21 };

/* spmv: is it right */
static float *x_new(int n)
{
    float *x = (float *)malloc((size_t)n * 4 + 4);
    if (!x)
        fail("no memory for %d numbers", n);
    for (int c = 0; c < n; c++)
        x[c] = (float)(hash((uint32_t)c + 99) % 2048) / 1024 - 1;
    return x;
}

static void check(const struct Spmv *v, const struct Csr *h,
                  const struct Sparse *a, const float *x, float *d_y,
                  const float *d_x)
{
    float *y = x_new(h->rows);
    CUDA_OK(cudaMemset(d_y, 0xff, (size_t)h->rows * 4));
    v->run(d_y, a, d_x);
    CUDA_OK(cudaMemcpy(y, d_y, (size_t)h->rows * 4,
                       cudaMemcpyDeviceToHost));
    for (int r = 0; r < h->rows; r++) {
        double sum = 0, size = 0;
        for (int i = h->start[r]; i < h->start[r + 1]; i++) {
            double p = (double)h->value[i] * (double)x[h->column[i]];
            sum += p;
            size += fabs(p);
        }
        if (!(fabs(y[r] - sum) <= 1e-4 * size))
            fail("%s: row %d is %g, not %g; no time is given", v->name, r,
                 (double)y[r], sum);
    }
    free(y);
}

/* spmv: time one matrix */
struct Job {
    const struct Spmv *v;
    const struct Sparse *a;
    float *y;
    const float *x;
};

static void run(void *job)
{
    struct Job *j = (struct Job *)job;
    j->v->run(j->y, j->a, j->x);
}

static void put_times(const char *matrix, const char *version,
                      struct Sample *t, double bytes, double flop)
{
    double s = median(t);
    printf("  %-8s %9.1f us %9.1f - %9.1f %8.0f MB %8.0f GB/s "
           "%8.1f GFLOP/s\n", version, 1e6 * s, 1e6 * fastest(t),
           1e6 * slowest(t), bytes / 1e6, bytes / s / 1e9, flop / s / 1e9);
    number_put(&numbers, "us", 1e6 * s, "spmv.%s.%s", matrix, version);
    number_put(&numbers, "GB/s", bytes / s / 1e9, "spmv.%s.%s.gbs", matrix,
               version);
    number_put(&numbers, "GFLOP/s", flop / s / 1e9, "spmv.%s.%s.gflops",
               matrix, version);
}


static void copy(void *job)
{
    struct Job *j = (struct Job *)job;
    CUDA_OK(cudaMemcpyAsync(j->y, j->x, (size_t)1 << 28,
                            cudaMemcpyDeviceToDevice, 0));
}

/* The ceiling: 2^28 bytes read and written. */
static void put_copy(const char *matrix)
{
    struct Job j = {};
    CUDA_OK(cudaMalloc(&j.y, (size_t)2 << 28));
    CUDA_OK(cudaMemset(j.y, 0, (size_t)2 << 28));
    j.x = j.y + (1 << 26);
    struct Sample t = gpu_time(copy, &j, RUNS, true);
    put_times(matrix, "copy", &t, 0x1p29, 0);
    CUDA_OK(cudaFree(j.y));
}

static void one_matrix(const char *name, enum SparseKind kind, int rows,
                       int columns, int per_row)
{
    struct Csr h;
    struct Error e;
    if (!csr_make(&h, kind, rows, columns, per_row, &e))
        fail("%s", e.text);
    struct Sparse a;
    if (!sparse_to_device(&a, &h, &e))
        fail("%s", e.text);
    float *x = x_new(columns), *d_x, *d_y;
    CUDA_OK(cudaMalloc(&d_x, (size_t)columns * 4));
    CUDA_OK(cudaMalloc(&d_y, (size_t)rows * 4));
    CUDA_OK(cudaMemcpy(d_x, x, (size_t)columns * 4,
                       cudaMemcpyHostToDevice));
    double nonzeros = h.start[rows];
    printf("\n%s: %d rows, %.1f million nonzeros, ELL of the hybrid %d "
           "wide\n", name, rows, nonzeros / 1e6, a.head.width);
    for (const struct Spmv *v = spmvs(); v->name; v++) {
        struct Job j = { v, &a, d_y, d_x };
        if (!spmv_can(v, &a))
            continue;
        check(v, &h, &a, x, d_y, d_x);
        struct Sample t = gpu_time(run, &j, RUNS, true);
        put_times(name, v->name, &t, spmv_bytes(v, &a), 2 * nonzeros);
    }
    put_copy(name);
    number_put(&numbers, "", nonzeros, "spmv.%s.nonzeros", name);
    CUDA_OK(cudaFree(d_x));
    CUDA_OK(cudaFree(d_y));
    free(x);
    sparse_free(&a);
    csr_free(&h);
}

/* spmv: two of four */
struct TwoFourJob {
    struct TwoFour w;           /* on the device */
    uint16_t *x, *dense;
    float *y;
    int N;
};

static void run_two_four(void *job)
{
    struct TwoFourJob *j = (struct TwoFourJob *)job;
    two_four_matmul(j->y, &j->w, j->x, j->N);
}

static void run_its_dense(void *job)
{
    struct TwoFourJob *j = (struct TwoFourJob *)job;
    dense_matmul(j->y, j->dense, j->x, j->w.M, j->N, j->w.K);
}

static void *on_device(const void *h, size_t bytes)
{
    void *d;
    CUDA_OK(cudaMalloc(&d, bytes));
    CUDA_OK(cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice));
    return d;
}

static uint16_t small_integer(uint32_t i, float *back)
{
    *back = (float)(hash(i) % 15) - 7;
    bf16 b = float_to_bf16(*back);
    uint16_t bits;
    memcpy(&bits, &b, sizeof bits);
    return bits;
}

/* Some rows of y against the packed matrix, in double. */
static void check_two_four(const struct TwoFourJob *j,
                           const struct TwoFour *h, const float *x,
                           const char *name)
{
    const int M = h->M, N = j->N, K = h->K;
    float *y = (float *)malloc((size_t)M * N * 4);
    float *row = (float *)malloc((size_t)K * 4);
    if (!y || !row)
        fail("no memory for %d rows", M);
    CUDA_OK(cudaMemcpy(y, j->y, (size_t)M * N * 4, cudaMemcpyDeviceToHost));
    for (int m = 0; m < M; m += 37) {
        two_four_row(row, h, m);
        for (int n = 0; n < N; n++) {
            double sum = 0;
            for (int k = 0; k < K; k++)
                sum += (double)row[k] * (double)x[(size_t)n * K + k];
            if (!(y[(size_t)m * N + n] == sum))
                fail("%s: (%d, %d) is %g, not %g; no time is given", name,
                     m, n, (double)y[(size_t)m * N + n], sum);
        }
    }
    free(y);
    free(row);
}

static void time_two_four(struct TwoFourJob *j, const struct TwoFour *h,
                          const float *x, const char *name)
{
    const size_t size = (size_t)h->M * h->K;
    const double both = 4.0 * h->M * j->N + 2.0 * h->K * j->N;
    Work *work[] = { run_two_four, run_its_dense };
    const char *of[] = { "sparse", "dense" };
    const double bytes[] = { 1.125 * size + both, 2.0 * size + both };
    for (int i = 0; i < 2; i++) {
        CUDA_OK(cudaMemset(j->y, 0xff, (size_t)h->M * j->N * 4));
        work[i](j);
        check_two_four(j, h, x, of[i]);
        struct Sample t = gpu_time(work[i], j, RUNS, true);
        put_times(name, of[i], &t, bytes[i], 2.0 * size * j->N);
    }
}

static void two_four(const char *name, int M, int K, int N)
{
    const size_t size = (size_t)M * K, all = size + (size_t)N * K;
    float *w = (float *)malloc(all * 4), *x = w + size;
    uint16_t *bits = (uint16_t *)malloc(all * 2);
    struct TwoFour h;
    struct Error e;
    if (!w || !bits)
        fail("no memory for %zu numbers", all);
    for (size_t i = 0; i < all; i++)
        bits[i] = small_integer((uint32_t)i, &w[i]);
    if (!two_four_pack(&h, w, M, K, &e))
        fail("%s", e.text);
    for (int m = 0; m < M; m++) {       /* the dense twin has its zeros */
        two_four_row(w + (size_t)m * K, &h, m);
        for (int k = 0; k < K; k++)
            if (w[(size_t)m * K + k] == 0)
                bits[(size_t)m * K + k] = 0;
    }
    struct TwoFourJob j = {};
    j.w = h;
    j.N = N;
    j.w.value = (uint16_t *)on_device(h.value, size);
    j.w.places = (uint32_t *)on_device(h.places, size / 8);
    j.dense = (uint16_t *)on_device(bits, size * 2);
    j.x = (uint16_t *)on_device(bits + size, (size_t)N * K * 2);
    CUDA_OK(cudaMalloc(&j.y, (size_t)M * N * 4));
    printf("\n%s: %d x %d, %d columns\n", name, M, K, N);
    time_two_four(&j, &h, x, name);
    void *device[] = { j.w.value, j.w.places, j.dense, j.x, j.y };
    for (int i = 0; i < 5; i++)
        CUDA_OK(cudaFree(device[i]));
    two_four_free(&h);
    free(bits);
    free(w);
}

int main(int argc, char **argv)
{
    lab_open(argc, argv, "Time sparse matrix-vector products.");
    const int rows = 1 << 20;
    one_matrix("band.9", SPARSE_BAND, rows, rows, 9);
    one_matrix("band.33", SPARSE_BAND, rows, rows, 33);
    one_matrix("random.8", SPARSE_RANDOM, rows, rows, 8);
    one_matrix("random.32", SPARSE_RANDOM, rows, rows, 32);
    one_matrix("random.128", SPARSE_RANDOM, rows / 4, rows / 4, 128);
    one_matrix("skewed.32", SPARSE_SKEWED, rows, rows, 32);
    one_matrix("power.32", SPARSE_POWER, rows, rows, 32);
    one_matrix("blocks.32", SPARSE_BLOCKS, rows, rows, 32);
    one_matrix("arrow.16", SPARSE_ARROW, rows, rows, 16);
    one_matrix("pruned.50", SPARSE_PRUNED, 4096, 4096, 2048);
    one_matrix("pruned.75", SPARSE_PRUNED, 4096, 4096, 1024);
    one_matrix("pruned.90", SPARSE_PRUNED, 4096, 4096, 410);
    one_matrix("dense.4096", SPARSE_BAND, 4096, 4096, 4096);
    two_four("two-four.8", 4096, 4096, 8);
    two_four("two-four.large", 16384, 16384, 8);
    lab_close();
    return 0;
}
