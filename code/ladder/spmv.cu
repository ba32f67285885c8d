/* Tangled from chapters/workshop/measuring-ceilings.nw, "Formats on the device".  Edit it there. */

#include "ladder/spmv.h"

#include <stdlib.h>

#include "backend/cuda.h"

/* spmv: a row for a thread */
__global__ void spmv_scalar(float *y, struct Csr a, const float *x)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= a.rows)
        return;
    float sum = 0;
    for (int i = a.start[r]; i < a.start[r + 1]; i++)
        sum += a.value[i] * x[a.column[i]];
    y[r] = sum;
}

/* spmv: a row for a warp */
__global__ void spmv_vector(float *y, struct Csr a, const float *x)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (r >= a.rows)
        return;
    float sum = 0;
    for (int i = a.start[r] + lane; i < a.start[r + 1]; i += 32)
        sum += a.value[i] * x[a.column[i]];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0)
        y[r] = sum;
}

/* spmv: a row for a few lanes */
/* LANES, a power of two, work on a row; 32 / LANES rows in a warp.  No
 * lane leaves before the shuffles. */
template <int LANES>
__global__ void spmv_lanes(float *y, struct Csr a, const float *x)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    int lane = threadIdx.x % LANES;
    float sum = 0;
    if (r < a.rows)
        for (int i = a.start[r] + lane; i < a.start[r + 1]; i += LANES)
            sum += a.value[i] * x[a.column[i]];
    for (int d = LANES / 2; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (r < a.rows && lane == 0)
        y[r] = sum;
}

/* spmv: a row of padded columns for a thread */
__global__ void spmv_ell(float *y, struct Ell a, const float *x)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= a.rows)
        return;
    float sum = 0;
    for (int k = 0; k < a.width; k++) {
        size_t at = (size_t)k * a.pitch + r;
        int column = a.column[at];
        if (column < 0)
            break;
        sum += a.value[at] * x[column];
    }
    y[r] = sum;
}

/* spmv: an equal share for a warp */
/* The sum over the lanes up to this one that have the same row; the rows
 * of the lanes rise. */
__device__ static float sum_of_row(float sum, int row, int lane)
{
    for (int d = 1; d < 32; d *= 2) {
        const float left = __shfl_up_sync(0xffffffff, sum, d);
        const int its_row = __shfl_up_sync(0xffffffff, row, d);
        if (lane >= d && its_row == row)
            sum += left;
    }
    return sum;
}

/* The last row that begins at i or before: it holds nonzero i. */
__device__ static int row_of(const int *start, int rows, int i)
{
    int low = 0, high = rows;           /* start[low] <= i < start[high] */
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (start[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

enum { SHARE = 256 };                   /* nonzeros of a warp, 32 k */

/* y += A x.  ROWS_STORED: row says the rows (COO); else start does. */
template <bool ROWS_STORED>
__global__ void spmv_shares(float *y, int n, int rows, const int *start,
                            const int *row, const int *column,
                            const float *value, const float *x)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if ((long long)warp * SHARE >= n)
        return;
    const int first = warp * SHARE;
    int r = ROWS_STORED ? 0 : row_of(start, rows, first);
    for (int k = 0; k < SHARE && first + k < n; k += 32) {
        const int i = first + k + lane;
        /* find the row of nonzero i and its product */
        int mine = -1;                          /* after the last nonzero */
        float sum = 0;
        if (i < n) {
            if (ROWS_STORED)
                r = row[i];
            else
                while (start[r + 1] <= i)
                    r++;
            mine = r;
            sum = value[i] * x[column[i]];
        }
        sum = sum_of_row(sum, mine, lane);
        const int next = __shfl_down_sync(0xffffffff, mine, 1);
        if (mine >= 0 && (lane == 31 || next != mine))
            atomicAdd(&y[mine], sum);
    }
}

/* spmv: the dense product */
__global__ void spmv_dense(float *y, const float *a, int rows, int columns,
                           const float *x)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    const float *row = a + (size_t)r * columns;
    float sum = 0;
    for (int c = lane; c < columns; c += 32)
        sum += row[c] * x[c];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0)
        y[r] = sum;
}

/* spmv: bring a matrix to the device */
static void *copy_of(const void *h, size_t bytes)
{
    void *d;
    CUDA_OK(cudaMalloc(&d, bytes ? bytes : 4));
    CUDA_OK(cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice));
    return d;
}

static void coo_up(struct Coo *a)
{
    const size_t bytes = (size_t)a->n * 4;
    struct Coo h = *a;
    a->row = (int *)copy_of(h.row, bytes);
    a->column = (int *)copy_of(h.column, bytes);
    a->value = (float *)copy_of(h.value, bytes);
    coo_free(&h);
}

static void ell_up(struct Ell *a)
{
    const size_t bytes = (size_t)a->width * (size_t)a->pitch * 4;
    struct Ell h = *a;
    a->column = (int *)copy_of(h.column, bytes);
    a->value = (float *)copy_of(h.value, bytes);
    ell_free(&h);
}

static float *dense_up(const struct Csr *h, struct Error *e)
{
    const size_t n = (size_t)h->rows * (size_t)h->columns;
    float *w = (float *)calloc(n + 1, sizeof *w);
    if (!w) {
        error_set(e, "no memory for %zu numbers", n);
        return NULL;
    }
    for (int r = 0; r < h->rows; r++)
        for (int i = h->start[r]; i < h->start[r + 1]; i++)
            w[(size_t)r * (size_t)h->columns + (size_t)h->column[i]]
                += h->value[i];
    float *d = (float *)copy_of(w, n * 4);
    free(w);
    return d;
}

bool sparse_to_device(struct Sparse *a, const struct Csr *h,
                      struct Error *e)
{
    const size_t n = (size_t)h->start[h->rows];
    const int widest = ell_width(h), width = hybrid_width(h);
    *a = {};
    if (!coo_make(&a->coo, h, 0, e))
        return false;
    coo_up(&a->coo);
    if (!ell_make(&a->head, h, width, e))
        return false;
    ell_up(&a->head);
    if (!coo_make(&a->tail, h, width, e))
        return false;
    coo_up(&a->tail);
    a->csr = *h;
    a->csr.start = (int *)copy_of(h->start, ((size_t)h->rows + 1) * 4);
    a->csr.column = (int *)copy_of(h->column, n * 4);
    a->csr.value = (float *)copy_of(h->value, n * 4);
    if ((double)widest * h->rows <= 8.0 * (double)n) {
        if (!ell_make(&a->ell, h, widest, e))
            return false;
        ell_up(&a->ell);
    }
    if ((double)h->rows * h->columns <= 0x1p26)
        a->dense = dense_up(h, e);
    return a->dense || (double)h->rows * h->columns > 0x1p26;
}

void sparse_free(struct Sparse *a)
{
    void *device[] = {
        a->csr.start, a->csr.column, a->csr.value, a->coo.row,
        a->coo.column, a->coo.value, a->tail.row, a->tail.column,
        a->tail.value, a->ell.column, a->ell.value, a->head.column,
        a->head.value, a->dense,
    };
    for (size_t i = 0; i < sizeof device / sizeof *device; i++)
        CUDA_OK(cudaFree(device[i]));
    *a = {};
}

/* spmv: launches */
#define ROWS(name, kernel, lanes, matrix)                              \
    static void name(float *y, const struct Sparse *a, const float *x) \
    {                                                                  \
        unsigned blocks = (unsigned)(((long long)a->csr.rows * (lanes) \
                                      + 255) / 256);                   \
        if (blocks)                                                    \
            kernel<<<blocks, 256>>>(y, matrix, x);                     \
        CUDA_OK(cudaGetLastError());                                   \
    }
ROWS(scalar, spmv_scalar, 1, a->csr)
ROWS(four_lanes, spmv_lanes<4>, 4, a->csr)
ROWS(eight_lanes, spmv_lanes<8>, 8, a->csr)
ROWS(vector, spmv_vector, 32, a->csr)
ROWS(ell, spmv_ell, 1, a->ell)
ROWS(head, spmv_ell, 1, a->head)

static void zero(float *y, int rows)
{
    CUDA_OK(cudaMemsetAsync(y, 0, (size_t)rows * 4, 0));
}

static void add_shares(float *y, const struct Coo *a, const float *x)
{
    const int warps = (a->n + SHARE - 1) / SHARE;
    if (warps)
        spmv_shares<true><<<(warps + 7) / 8, 256>>>(y, a->n, a->rows, NULL,
            a->row, a->column, a->value, x);
    CUDA_OK(cudaGetLastError());
}

static void coo(float *y, const struct Sparse *a, const float *x)
{
    zero(y, a->coo.rows);
    add_shares(y, &a->coo, x);
}

static void shares(float *y, const struct Sparse *a, const float *x)
{
    const int n = a->coo.n, warps = (n + SHARE - 1) / SHARE;
    zero(y, a->csr.rows);
    if (warps)
        spmv_shares<false><<<(warps + 7) / 8, 256>>>(y, n, a->csr.rows,
            a->csr.start, NULL, a->csr.column, a->csr.value, x);
    CUDA_OK(cudaGetLastError());
}

static void hybrid(float *y, const struct Sparse *a, const float *x)
{
    head(y, a, x);
    add_shares(y, &a->tail, x);
}

static void dense(float *y, const struct Sparse *a, const float *x)
{
    unsigned blocks = (unsigned)((a->csr.rows + 7) / 8);
    if (blocks)
        spmv_dense<<<blocks, 256>>>(y, a->dense, a->csr.rows,
                                    a->csr.columns, x);
    CUDA_OK(cudaGetLastError());
}

static double csr_bytes(const struct Sparse *a)
{
    return 8.0 * a->coo.n + 4.0 * (a->csr.rows + 1);
}

static double coo_bytes(const struct Sparse *a)
{
    return 12.0 * a->coo.n;
}

static double ell_bytes(const struct Sparse *a)
{
    return 8.0 * a->ell.width * a->ell.rows;
}

static double hybrid_bytes(const struct Sparse *a)
{
    return 8.0 * a->head.width * a->head.rows + 12.0 * a->tail.n;
}

static double dense_bytes(const struct Sparse *a)
{
    return 4.0 * a->csr.rows * a->csr.columns;
}

const struct Spmv *spmvs(void)
{
    static const struct Spmv ladder[] = {
        { "scalar", scalar, csr_bytes },
        { "lanes4", four_lanes, csr_bytes },
        { "lanes8", eight_lanes, csr_bytes },
        { "vector", vector, csr_bytes }, { "shares", shares, csr_bytes },
        { "coo", coo, coo_bytes }, { "ell", ell, ell_bytes },
        { "hybrid", hybrid, hybrid_bytes },
        { "dense", dense, dense_bytes }, { NULL, NULL, NULL },
    };
    return ladder;
}

bool spmv_can(const struct Spmv *v, const struct Sparse *a)
{
    return v->run == ell ? a->ell.value != NULL
         : v->run == dense ? a->dense != NULL : true;
}

double spmv_bytes(const struct Spmv *v, const struct Sparse *a)
{
    return v->matrix_bytes(a) + 4.0 * a->csr.rows + 4.0 * a->csr.columns;
}
