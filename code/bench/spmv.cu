/* Tangled from chapters/workshop/measuring-ceilings.nw, "spmv: a sparse matrix against a vector".  Edit it there. */

/* spmv: sparse matrix times vector, two kernels, several matrices. */
#include "bench/cuda_bench.cuh"
#include "ladder/spmv.h"

enum { RUNS = 21 };

/* spmv: make a matrix */
enum Kind { BAND, ANYWHERE, SKEWED };

struct Matrix {
    struct Csr a;               /* in device memory */
    int *start, *column;        /* on the host      */
    float *value, *x;
    float *d_x, *d_y;
};

static int length_of(int row, int per_row, enum Kind kind)
{
    if (kind != SKEWED)
        return per_row;
    return row % 1024 == 512 ? per_row * 512 : per_row / 2;
}

static void *host_room(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p)
        fail("no memory for %zu bytes", bytes);
    return p;
}

static void *on_device(const void *h, size_t bytes)
{
    void *d;
    CUDA_OK(cudaMalloc(&d, bytes));
    CUDA_OK(cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice));
    return d;
}

static void matrix_new(struct Matrix *m, int rows, int per_row,
                       enum Kind kind)
{
    m->start = (int *)host_room(((size_t)rows + 1) * sizeof(int));
    m->start[0] = 0;
    for (int r = 0; r < rows; r++)
        m->start[r + 1] = m->start[r] + length_of(r, per_row, kind);
    size_t n = (size_t)m->start[rows];
    m->column = (int *)host_room(n * sizeof(int));
    m->value = (float *)host_room(n * sizeof(float));
    m->x = (float *)host_room((size_t)rows * sizeof(float));
    for (int r = 0; r < rows; r++)
        for (int i = m->start[r]; i < m->start[r + 1]; i++) {
            int32_t near = r - per_row / 2 + (i - m->start[r]);
            m->column[i] = kind == BAND ? (near % rows + rows) % rows
                                        : (int)(hash((uint32_t)i)
                                                % (uint32_t)rows);
            m->value[i] = (float)(hash((uint32_t)i + 7) % 2048) / 1024 - 1;
        }
    for (int r = 0; r < rows; r++)
        m->x[r] = (float)(hash((uint32_t)r + 99) % 2048) / 1024 - 1;
    m->a.rows = m->a.columns = rows;
    m->a.start = (int *)on_device(m->start, ((size_t)rows + 1) * 4);
    m->a.column = (int *)on_device(m->column, n * 4);
    m->a.value = (float *)on_device(m->value, n * 4);
    m->d_x = (float *)on_device(m->x, (size_t)rows * 4);
    CUDA_OK(cudaMalloc(&m->d_y, (size_t)rows * 4));
}

static void matrix_free(struct Matrix *m)
{
    const void *device[] = { m->a.start, m->a.column, m->a.value, m->d_x,
                             m->d_y };
    void *host[] = { m->start, m->column, m->value, m->x };
    for (int i = 0; i < 5; i++)
        CUDA_OK(cudaFree((void *)device[i]));
    for (int i = 0; i < 4; i++)
        free(host[i]);
}

/* spmv: is it right */
static void check(const struct Spmv *v, struct Matrix *m)
{
    int rows = m->a.rows;
    float *y = (float *)host_room((size_t)rows * 4);
    CUDA_OK(cudaMemset(m->d_y, 0xff, (size_t)rows * 4));
    v->run(m->d_y, &m->a, m->d_x);
    CUDA_OK(cudaMemcpy(y, m->d_y, (size_t)rows * 4,
                       cudaMemcpyDeviceToHost));
    for (int r = 0; r < rows; r++) {
        double sum = 0, size = 0;
        for (int i = m->start[r]; i < m->start[r + 1]; i++) {
            double p = (double)m->value[i] * (double)m->x[m->column[i]];
            sum += p;
            size += fabs(p);
        }
        if (!(fabs(y[r] - sum) <= 1e-5 * size))
            fail("%s: row %d is %g, not %g; no time is given", v->name, r,
                 (double)y[r], sum);
    }
    free(y);
}

/* spmv: time one matrix */
struct Job { const struct Spmv *v; struct Matrix *m; };

static void run(void *job)
{
    struct Job *j = (struct Job *)job;
    j->v->run(j->m->d_y, &j->m->a, j->m->d_x);
}

static void one_matrix(const char *name, int rows, int per_row,
                       enum Kind kind)
{
    struct Matrix m;
    matrix_new(&m, rows, per_row, kind);
    double nonzeros = m.start[rows], flop = 2 * nonzeros;
    double bytes = 8 * nonzeros + 12.0 * rows + 4;
    printf("\n%s: %.1f million nonzeros, %.0f MB, %.3f FLOP/B\n", name,
           nonzeros / 1e6, bytes / 1e6, flop / bytes);
    for (const struct Spmv *v = spmvs(); v->name; v++) {
        struct Job j = { v, &m };
        check(v, &m);
        struct Sample t = gpu_time(run, &j, RUNS, true);
        double s = median(&t);
        printf("  %-8s %9.1f us %9.1f - %9.1f %8.0f GB/s %8.1f GFLOP/s\n",
               v->name, 1e6 * s, 1e6 * fastest(&t), 1e6 * slowest(&t),
               bytes / s / 1e9, flop / s / 1e9);
        number_put(&numbers, "us", 1e6 * s, "spmv.%s.%s", name, v->name);
        number_put(&numbers, "GB/s", bytes / s / 1e9, "spmv.%s.%s.gbs",
                   name, v->name);
        number_put(&numbers, "GFLOP/s", flop / s / 1e9,
                   "spmv.%s.%s.gflops", name, v->name);
    }
    number_put(&numbers, "FLOP/B", flop / bytes, "spmv.%s.intensity", name);
    matrix_free(&m);
}

int main(int argc, char **argv)
{
    lab_open(argc, argv, "Time sparse matrix-vector products.");
    const int rows = 1 << 20;
    one_matrix("band.9", rows, 9, BAND);
    one_matrix("band.33", rows, 33, BAND);
    one_matrix("random.8", rows, 8, ANYWHERE);
    one_matrix("random.32", rows, 32, ANYWHERE);
    one_matrix("random.128", rows / 4, 128, ANYWHERE);
    one_matrix("skewed.32", rows, 32, SKEWED);
    one_matrix("dense.4096", 4096, 4096, BAND);
    lab_close();
    return 0;
}
