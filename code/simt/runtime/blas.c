/* Tangled from chapters/workshop/foreign-programs.nw, "What the calls compute".  Edit it there. */

#include "simt/include/cublas_v2.h"
#include "simt/include/cublasXt.h"

#include "base/alloc.h"
#include "simt/executor/device_math.h"
#include "simt/runtime/runtime.h"
#include "simt/simt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cublasContext { cudaStream_t stream; cublasPointerMode_t mode; };

/* numbers of any type */
static void *bytes_at(const void *p)
{
    return on_device(p) ? memory_bytes((uint64_t)(uintptr_t)p)
                        : (void *)(uintptr_t)p;
}

static size_t type_size(cudaDataType_t t)
{
    return t == CUDA_R_64F ? 8 : t == CUDA_R_32F || t == CUDA_R_32I ? 4
         : t == CUDA_R_16F || t == CUDA_R_16BF ? 2 : t == CUDA_R_8I ? 1 : 0;
}

static double get(const void *p, cudaDataType_t t, ptrdiff_t i)
{
    switch (t) {
    case CUDA_R_64F: return ((const double *)p)[i];
    case CUDA_R_16F: return float_from_half(((const uint16_t *)p)[i]);
    case CUDA_R_16BF: return float_from_bf16(((const uint16_t *)p)[i]);
    case CUDA_R_32I: return ((const int32_t *)p)[i];
    case CUDA_R_8I: return ((const int8_t *)p)[i];
    default: return ((const float *)p)[i];
    }
}

static void put(void *p, cudaDataType_t t, ptrdiff_t i, double x)
{
    switch (t) {
    case CUDA_R_64F: ((double *)p)[i] = x; break;
    case CUDA_R_16F: ((uint16_t *)p)[i] = half_from_double(x); break;
    case CUDA_R_16BF: ((uint16_t *)p)[i] = bf16_from_double(x); break;
    case CUDA_R_32I: ((int32_t *)p)[i] = (int32_t)x; break;
    default: ((float *)p)[i] = (float)x;
    }
}

/* gather and scatter */
struct Matrix {
    const void *p;
    cudaDataType_t type;
    ptrdiff_t row, column;      /* elements from one to the next         */
    int rows, columns;
};

static void wrote(const void *p, size_t bytes)
{
    if (on_device(p) && simt_options.check)
        check_host_wrote((uint64_t)(uintptr_t)p, bytes);
}

static void tell(const struct Matrix *m, int j, bool write)
{
    size_t size = type_size(m->type);
    uint64_t a = (uint64_t)(uintptr_t)m->p;
    if (!on_device(m->p) || !simt_options.check)
        return;
    if (m->row == 1) {
        a += (uint64_t)(j * m->column) * size;
        (write ? check_host_wrote : check_host_reads)
            (a, size * (size_t)m->rows);
        return;
    }
    for (int i = 0; i < m->rows; i++)
        (write ? check_host_wrote : check_host_reads)
            (a + (uint64_t)(i * m->row + j * m->column) * size, size);
}

static double *gather(struct Matrix m)
{
    double *all = xcalloc((size_t)m.rows * (size_t)m.columns + 1,
                          sizeof *all), *to = all;
    const void *from = bytes_at(m.p);
    for (int j = 0; j < m.columns; j++) {
        tell(&m, j, false);
        for (int i = 0; i < m.rows; i++)
            *to++ = get(from, m.type, i * m.row + j * m.column);
    }
    return all;
}

static void scatter(struct Matrix m, const double *from)
{
    void *to = bytes_at(m.p);
    for (int j = 0; j < m.columns; j++) {
        for (int i = 0; i < m.rows; i++)
            put(to, m.type, i * m.row + j * m.column, *from++);
        tell(&m, j, true);
    }
}

/* n elements with this stride; a negative one begins at the end. */
static struct Matrix vector(const void *p, cudaDataType_t t, int n, int by)
{
    ptrdiff_t first = by < 0 ? (ptrdiff_t)(1 - n) * by : 0;
    return (struct Matrix){ (const char *)p + first *
                            (ptrdiff_t)type_size(t), t, by, 0, n, 1 };
}

static double scalar(const void *p, cudaDataType_t t)
{
    return get(bytes_at(p), t, 0);
}

static _Thread_local bool host_matrices;        /* they are allowed */

static cublasStatus_t usable(const char *call, cublasHandle_t h,
                             struct Matrix m)
{
    if (!h)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (m.rows <= 0 || m.columns <= 0)
        return m.rows < 0 || m.columns < 0 ? CUBLAS_STATUS_INVALID_VALUE
                                           : CUBLAS_STATUS_SUCCESS;
    if (!type_size(m.type))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (host_matrices)
        return CUBLAS_STATUS_SUCCESS;
    ptrdiff_t n = (m.rows - 1) * m.row + (m.columns - 1) * m.column;
    ptrdiff_t low = n < 0 ? n : 0, high = n < 0 ? 0 : n;
    size_t size = type_size(m.type);
    uint64_t first = (uint64_t)(uintptr_t)m.p +
                     (uint64_t)(low * (ptrdiff_t)size);
    if (memory_holds(first, (size_t)(high - low + 1) * size) ||
        visible_find(m.p, NULL, NULL))
        return CUBLAS_STATUS_SUCCESS;
    refuse(cudaErrorInvalidDevicePointer, "%s: %d by %d numbers at %p, "
           "leading dimension %td, are not inside one allocation of the "
           "device", call, m.rows, m.columns, m.p,
           m.row == 1 ? m.column : m.row);
    return CUBLAS_STATUS_INVALID_VALUE;
}

#define NEEDS(h, m)                                        \
    do {                                                   \
        cublasStatus_t usable_ = usable(__func__, h, m);   \
        if (usable_)                                       \
            return usable_;                                \
    } while (0)

/* handles, and copies by columns */
cublasStatus_t cublasCreate(cublasHandle_t *h)
{
    *h = simt_enter() ? NULL : calloc(1, sizeof **h);
    return *h ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasDestroy(cublasHandle_t h)
{
    free(h);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion(cublasHandle_t h, int *version)
{
    (void)h;
    *version = CUDART_VERSION * 10;
    return CUBLAS_STATUS_SUCCESS;
}

#define SETS(name, T, field)                                              \
    cublasStatus_t cublasSet##name(cublasHandle_t h, T x)                 \
    {                                                                     \
        if (!h)                                                           \
            return CUBLAS_STATUS_NOT_INITIALIZED;                         \
        h->field = x;                                                     \
        return CUBLAS_STATUS_SUCCESS;                                     \
    }                                                                     \
    cublasStatus_t cublasGet##name(cublasHandle_t h, T *x)                \
    {                                                                     \
        if (!h)                                                           \
            return CUBLAS_STATUS_NOT_INITIALIZED;                         \
        *x = h->field;                                                    \
        return CUBLAS_STATUS_SUCCESS;                                     \
    }
SETS(Stream, cudaStream_t, stream)
SETS(PointerMode, cublasPointerMode_t, mode)

/* Every number is computed in double precision, whatever is allowed. */
cublasStatus_t cublasSetMathMode(cublasHandle_t h, cublasMath_t m)
{
    (void)m;
    return h ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasSetAtomicsMode(cublasHandle_t h, cublasAtomicsMode_t m)
{
    (void)m;
    return h ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasSetWorkspace(cublasHandle_t h, void *p, size_t bytes)
{
    (void)p, (void)bytes;
    return h ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

const char *cublasGetStatusName(cublasStatus_t s)
{
    switch (s) {
    case CUBLAS_STATUS_SUCCESS: return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
        return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_EXECUTION_FAILED:
        return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
    default: return "CUBLAS_STATUS_INTERNAL_ERROR";
    }
}

const char *cublasGetStatusString(cublasStatus_t s)
{
    return cublasGetStatusName(s);
}

#define COPIES(name, kind)                                                \
    cublasStatus_t cublas##name##Matrix(int m, int n, int bytes,          \
        const void *from, int lda, void *to, int ldb)                     \
    {                                                                     \
        size_t b = (size_t)bytes;                                         \
        if (m < 0 || n < 0 || bytes <= 0 || lda < m || ldb < m)           \
            return CUBLAS_STATUS_INVALID_VALUE;                           \
        return cudaMemcpy2D(to, (size_t)ldb * b, from, (size_t)lda * b,   \
                            (size_t)m * b, (size_t)n, kind)               \
             ? CUBLAS_STATUS_MAPPING_ERROR : CUBLAS_STATUS_SUCCESS;       \
    }                                                                     \
    cublasStatus_t cublas##name##MatrixAsync(int m, int n, int bytes,     \
        const void *from, int lda, void *to, int ldb, cudaStream_t s)     \
    {                                                                     \
        (void)s;                                                          \
        return cublas##name##Matrix(m, n, bytes, from, lda, to, ldb);     \
    }                                                                     \
    cublasStatus_t cublas##name##Vector(int n, int bytes,                 \
        const void *from, int incx, void *to, int incy)                   \
    {                                                                     \
        if (incx <= 0 || incy <= 0)                                       \
            return CUBLAS_STATUS_INVALID_VALUE;                           \
        return cublas##name##Matrix(1, n, bytes, from, incx, to, incy);   \
    }                                                                     \
    cublasStatus_t cublas##name##VectorAsync(int n, int bytes,            \
        const void *from, int incx, void *to, int incy, cudaStream_t s)   \
    {                                                                     \
        (void)s;                                                          \
        return cublas##name##Vector(n, bytes, from, incx, to, incy);      \
    }
COPIES(Set, cudaMemcpyHostToDevice)
COPIES(Get, cudaMemcpyDeviceToHost)

/* calls about vectors */
/* y = alpha x + beta y; beta 0: y is not read. */
static cublasStatus_t combine(const char *call, cublasHandle_t h,
                              double alpha, struct Matrix x, double beta,
                              struct Matrix y)
{
    cublasStatus_t s = usable(call, h, x);
    s = s ? s : usable(call, h, y);
    if (s || x.rows <= 0)
        return s;
    double *a = gather(x), *b = beta != 0 ? gather(y) : NULL;
    for (int i = 0; i < x.rows; i++)
        a[i] = alpha * a[i] + (b ? beta * b[i] : 0.0);
    scatter(y, a);
    free(a);
    free(b);
    return CUBLAS_STATUS_SUCCESS;
}

enum Sum { SUM_PRODUCTS, SUM_SIZES, NORM, LARGEST, SMALLEST };
static cublasStatus_t sum_up(const char *call, cublasHandle_t h,
                             enum Sum what, struct Matrix x,
                             struct Matrix y, double *result)
{
    cublasStatus_t s = usable(call, h, x);
    s = s ? s : usable(call, h, y);
    if (s)
        return s;
    double *a = gather(x), *b = gather(y), sum = 0;
    int best = 0;
    for (int i = 0; i < x.rows; i++) {
        sum += what == SUM_SIZES ? fabs(a[i]) : a[i] * b[i];
        if (what == SMALLEST ? fabs(a[i]) < fabs(a[best])
                             : fabs(a[i]) > fabs(a[best]))
            best = i;
    }
    *result = what == NORM ? sqrt(sum) : what < NORM ? sum
            : x.rows > 0 ? best + 1 : 0;        /* counted from 1 */
    free(a);
    free(b);
    return CUBLAS_STATUS_SUCCESS;
}

#define NUMBER(r, t, x)                                                   \
    do {                                                                  \
        if (status == CUBLAS_STATUS_SUCCESS) {                            \
            put(bytes_at(r), t, 0, x);                                    \
            wrote(r, type_size(t));                                       \
        }                                                                 \
        return status;                                                    \
    } while (0)

#define SUMS(name, what, T, t, R, r)                                      \
    cublasStatus_t cublas##name(cublasHandle_t h, int n, const T *x,      \
                                int incx, R *result)                      \
    {                                                                     \
        double sum = 0;                                                   \
        struct Matrix v = vector(x, t, n, incx);                          \
        cublasStatus_t status = sum_up(__func__, h, what, v, v, &sum);    \
        NUMBER(result, r, sum);                                           \
    }
SUMS(Sasum, SUM_SIZES, float, CUDA_R_32F, float, CUDA_R_32F)
SUMS(Dasum, SUM_SIZES, double, CUDA_R_64F, double, CUDA_R_64F)
SUMS(Snrm2, NORM, float, CUDA_R_32F, float, CUDA_R_32F)
SUMS(Dnrm2, NORM, double, CUDA_R_64F, double, CUDA_R_64F)
SUMS(Isamax, LARGEST, float, CUDA_R_32F, int, CUDA_R_32I)
SUMS(Idamax, LARGEST, double, CUDA_R_64F, int, CUDA_R_32I)
SUMS(Isamin, SMALLEST, float, CUDA_R_32F, int, CUDA_R_32I)
SUMS(Idamin, SMALLEST, double, CUDA_R_64F, int, CUDA_R_32I)

#define OF_VECTORS(S, T, t)                                               \
    cublasStatus_t cublas##S##dot(cublasHandle_t h, int n, const T *x,    \
                                  int incx, const T *y, int incy,         \
                                  T *result)                              \
    {                                                                     \
        double sum = 0;                                                   \
        cublasStatus_t status = sum_up(__func__, h, SUM_PRODUCTS,         \
            vector(x, t, n, incx), vector(y, t, n, incy), &sum);          \
        NUMBER(result, t, sum);                                           \
    }                                                                     \
    cublasStatus_t cublas##S##axpy(cublasHandle_t h, int n,               \
        const T *alpha, const T *x, int incx, T *y, int incy)             \
    {                                                                     \
        return combine(__func__, h, scalar(alpha, t),                     \
                       vector(x, t, n, incx), 1, vector(y, t, n, incy));  \
    }                                                                     \
    cublasStatus_t cublas##S##scal(cublasHandle_t h, int n,               \
        const T *alpha, T *x, int incx)                                   \
    {                                                                     \
        return combine(__func__, h, scalar(alpha, t),                     \
                       vector(x, t, n, incx), 0, vector(x, t, n, incx));  \
    }                                                                     \
    cublasStatus_t cublas##S##copy(cublasHandle_t h, int n, const T *x,   \
                                   int incx, T *y, int incy)              \
    {                                                                     \
        return combine(__func__, h, 1, vector(x, t, n, incx), 0,          \
                       vector(y, t, n, incy));                            \
    }
OF_VECTORS(S, float, CUDA_R_32F)
OF_VECTORS(D, double, CUDA_R_64F)

#define SWAPS(S, T, t)                                                    \
    cublasStatus_t cublas##S##swap(cublasHandle_t h, int n, T *x,         \
                                   int incx, T *y, int incy)              \
    {                                                                     \
        struct Matrix a = vector(x, t, n, incx);                          \
        struct Matrix b = vector(y, t, n, incy);                          \
        NEEDS(h, a);                                                      \
        NEEDS(h, b);                                                      \
        double *first = gather(a), *second = gather(b);                   \
        scatter(a, second);                                               \
        scatter(b, first);                                                \
        free(first);                                                      \
        free(second);                                                     \
        return CUBLAS_STATUS_SUCCESS;                                     \
    }
SWAPS(S, float, CUDA_R_32F)
SWAPS(D, double, CUDA_R_64F)

/* matrix products of the library */
/* op(a), rows x columns. */
static struct Matrix matrix(const void *a, cudaDataType_t t, int rows,
                            int columns, int ld, cublasOperation_t op)
{
    return (struct Matrix){ a, t, op ? ld : 1, op ? 1 : ld, rows,
                            columns };
}

/* c = alpha a b + beta c; beta 0: c is not read. */
static cublasStatus_t multiply(const char *call, cublasHandle_t h,
                               double alpha, struct Matrix a,
                               struct Matrix b, double beta,
                               struct Matrix c)
{
    size_t m = (size_t)a.rows, n = (size_t)b.columns, k = (size_t)b.rows;
    cublasStatus_t s = usable(call, h, c);
    if (s || c.rows <= 0 || c.columns <= 0)
        return s;
    s = usable(call, h, a);
    s = s ? s : usable(call, h, b);
    if (s)
        return s;
    double *x = gather(a), *y = gather(b);
    double *old = beta != 0 ? gather(c) : NULL;
    double *z = xcalloc(m * n, sizeof *z);
    for (size_t j = 0; j < n; j++) {
        double *restrict to = z + j * m;
        for (size_t p = 0; p < k; p++)
            for (size_t i = 0; i < m; i++)
                to[i] += x[p * m + i] * y[j * k + p];
        for (size_t i = 0; i < m; i++)
            to[i] = alpha * to[i] + (old ? beta * old[j * m + i] : 0);
    }
    scatter(c, z);
    free(x);
    free(y);
    free(old);
    free(z);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
    int n, int k, const void *alpha, const void *a, cudaDataType_t type_a,
    int lda, long long step_a, const void *b, cudaDataType_t type_b,
    int ldb, long long step_b, const void *beta, void *c,
    cudaDataType_t type_c, int ldc, long long step_c, int batches,
    cublasComputeType_t compute, cublasGemmAlgo_t algo)
{
    cudaDataType_t t = compute == CUBLAS_COMPUTE_64F ? CUDA_R_64F
                     : compute == CUBLAS_COMPUTE_16F ? CUDA_R_16F
                     : compute == CUBLAS_COMPUTE_32I ? CUDA_R_32I
                                                     : CUDA_R_32F;
    cublasStatus_t s = CUBLAS_STATUS_SUCCESS;
    (void)algo;
    if (m < 0 || n < 0 || k < 0 || lda < (ta ? k : m) ||
        ldb < (tb ? n : k) || ldc < m)
        return CUBLAS_STATUS_INVALID_VALUE;
    for (int i = 0; i < batches && !s; i++)
        s = multiply("cublas...gemm", h, scalar(alpha, t),
            matrix((const char *)a + i * step_a *
                   (long long)type_size(type_a), type_a, m, k, lda, ta),
            matrix((const char *)b + i * step_b *
                   (long long)type_size(type_b), type_b, k, n, ldb, tb),
            scalar(beta, t),
            matrix((const char *)c + i * step_c *
                   (long long)type_size(type_c), type_c, m, n, ldc,
                   CUBLAS_OP_N));
    return s;
}

cublasStatus_t cublasGemmEx(
    cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
    int n, int k, const void *alpha, const void *a, cudaDataType_t type_a,
    int lda, const void *b, cudaDataType_t type_b, int ldb,
    const void *beta, void *c, cudaDataType_t type_c, int ldc,
    cublasComputeType_t compute, cublasGemmAlgo_t algo)
{
    return cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha, a, type_a,
                                      lda, 0, b, type_b, ldb, 0, beta, c,
                                      type_c, ldc, 0, 1, compute, algo);
}

#define PRODUCTS(S, T, t, compute)                                        \
    cublasStatus_t cublas##S##gemmStridedBatched(cublasHandle_t h,        \
        cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,  \
        const T *alpha, const T *a, int lda, long long step_a,            \
        const T *b, int ldb, long long step_b, const T *beta, T *c,       \
        int ldc, long long step_c, int batches)                           \
    {                                                                     \
        return cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha, a,   \
            t, lda, step_a, b, t, ldb, step_b, beta, c, t, ldc, step_c,   \
            batches, compute, CUBLAS_GEMM_DEFAULT);                       \
    }                                                                     \
    cublasStatus_t cublas##S##gemm(cublasHandle_t h,                      \
        cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,  \
        const T *alpha, const T *a, int lda, const T *b, int ldb,         \
        const T *beta, T *c, int ldc)                                     \
    {                                                                     \
        return cublas##S##gemmStridedBatched(h, ta, tb, m, n, k, alpha,   \
            a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);                    \
    }                                                                     \
    cublasStatus_t cublas##S##gemmBatched(cublasHandle_t h,               \
        cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,  \
        const T *alpha, const T *const a[], int lda, const T *const b[],  \
        int ldb, const T *beta, T *const c[], int ldc, int batches)       \
    {                                                                     \
        const T *const *x = bytes_at(a), *const *y = bytes_at(b);         \
        T *const *z = bytes_at(c);                                        \
        cublasStatus_t s = CUBLAS_STATUS_SUCCESS;                         \
        for (int i = 0; i < batches && !s; i++)                           \
            s = cublas##S##gemm(h, ta, tb, m, n, k, alpha, x[i], lda,     \
                                y[i], ldb, beta, z[i], ldc);              \
        return s;                                                         \
    }
PRODUCTS(S, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
PRODUCTS(D, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)

#define WITH_VECTORS(S, T, t)                                             \
    cublasStatus_t cublas##S##gemv(cublasHandle_t h,                      \
        cublasOperation_t op, int m, int n, const T *alpha, const T *a,   \
        int lda, const T *x, int incx, const T *beta, T *y, int incy)     \
    {                                                                     \
        int rows = op ? n : m, columns = op ? m : n;                      \
        return multiply(__func__, h, scalar(alpha, t),                    \
                        matrix(a, t, rows, columns, lda, op),             \
                        vector(x, t, columns, incx), scalar(beta, t),     \
                        vector(y, t, rows, incy));                        \
    }                                                                     \
    cublasStatus_t cublas##S##ger(cublasHandle_t h, int m, int n,         \
        const T *alpha, const T *x, int incx, const T *y, int incy,       \
        T *a, int lda)                                                    \
    {                                                                     \
        struct Matrix row = vector(y, t, n, incy);                        \
        row.column = row.row;                                             \
        row.columns = n;                                                  \
        row.rows = 1;                                                     \
        return multiply(__func__, h, scalar(alpha, t),                    \
                        vector(x, t, m, incx), row, 1,                    \
                        matrix(a, t, m, n, lda, CUBLAS_OP_N));            \
    }
WITH_VECTORS(S, float, CUDA_R_32F)
WITH_VECTORS(D, double, CUDA_R_64F)

#define ADDITIONS(S, T, t)                                                \
    cublasStatus_t cublas##S##geam(cublasHandle_t h,                      \
        cublasOperation_t ta, cublasOperation_t tb, int m, int n,         \
        const T *alpha, const T *a, int lda, const T *beta, const T *b,   \
        int ldb, T *c, int ldc)                                           \
    {                                                                     \
        struct Matrix x = matrix(a, t, m, n, lda, ta);                    \
        struct Matrix y = matrix(b, t, m, n, ldb, tb);                    \
        struct Matrix z = matrix(c, t, m, n, ldc, CUBLAS_OP_N);           \
        double p = scalar(alpha, t), q = scalar(beta, t);                 \
        NEEDS(h, z);                                                      \
        double *sum = xcalloc((size_t)m * (size_t)n, sizeof *sum);        \
        double *u = p != 0 ? gather(x) : NULL;                            \
        double *v = q != 0 ? gather(y) : NULL;                            \
        for (size_t i = 0; i < (size_t)m * (size_t)n; i++)                \
            sum[i] = (u ? p * u[i] : 0) + (v ? q * v[i] : 0);             \
        scatter(z, sum);                                                  \
        free(u);                                                          \
        free(v);                                                          \
        free(sum);                                                        \
        return CUBLAS_STATUS_SUCCESS;                                     \
    }
ADDITIONS(S, float, CUDA_R_32F)
ADDITIONS(D, double, CUDA_R_64F)

/* systems and factors */
/* op(a) x = alpha b for each column of b; x takes its place. */
static cublasStatus_t solve(const char *call, cublasHandle_t h, bool lower,
                            bool unit, struct Matrix a, double alpha,
                            struct Matrix b)
{
    int n = a.rows;
    cublasStatus_t s = usable(call, h, a);
    s = s ? s : usable(call, h, b);
    if (s || n <= 0 || b.columns <= 0)
        return s;
    double *x = gather(a), *y = gather(b);
    for (int j = 0; j < b.columns; j++) {
        double *to = y + (size_t)j * (size_t)n;
        for (int k = 0; k < n; k++) {
            int i = lower ? k : n - 1 - k;
            double sum = alpha * to[i];
            for (int p = lower ? 0 : i + 1; p < (lower ? i : n); p++)
                sum -= x[i + p * n] * to[p];
            to[i] = unit ? sum : sum / x[i + i * n];
        }
    }
    scatter(b, y);
    free(x);
    free(y);
    return CUBLAS_STATUS_SUCCESS;
}

#define TRIANGLES(S, T, t)                                                \
    cublasStatus_t cublas##S##trsm(cublasHandle_t h,                      \
        cublasSideMode_t side, cublasFillMode_t fill,                     \
        cublasOperation_t op, cublasDiagType_t diagonal, int m, int n,    \
        const T *alpha, const T *a, int lda, T *b, int ldb)               \
    {                                                                     \
        bool right = side == CUBLAS_SIDE_RIGHT;                           \
        bool over = right != (op != CUBLAS_OP_N);                         \
        int order = right ? n : m, others = right ? m : n;                \
        return solve(__func__, h, (fill == CUBLAS_FILL_MODE_LOWER) !=     \
                     over, diagonal == CUBLAS_DIAG_UNIT,                  \
                     matrix(a, t, order, order, lda,                      \
                            over ? CUBLAS_OP_T : CUBLAS_OP_N),            \
                     scalar(alpha, t),                                    \
                     matrix(b, t, order, others, ldb,                     \
                            right ? CUBLAS_OP_T : CUBLAS_OP_N));          \
    }
TRIANGLES(S, float, CUDA_R_32F)
TRIANGLES(D, double, CUDA_R_64F)

/* 0, or the number of the first pivot that is 0. */
static int factorise(double *a, int n, int *pivots)
{
    int bad = 0;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; pivots && i < n; i++)
            if (fabs(a[i + k * n]) > fabs(a[best + k * n]))
                best = i;
        for (int j = 0; j < n && best != k; j++) {
            double x = a[k + j * n];
            a[k + j * n] = a[best + j * n];
            a[best + j * n] = x;
        }
        if (pivots)
            pivots[k] = best + 1;
        if (a[k + k * n] == 0 && !bad)
            bad = k + 1;
        for (int i = k + 1; i < n && a[k + k * n] != 0; i++)
            a[i + k * n] /= a[k + k * n];
        for (int j = k + 1; j < n; j++)
            for (int i = k + 1; i < n; i++)
                a[i + j * n] -= a[i + k * n] * a[k + j * n];
    }
    return bad;
}

#define FACTORS(S, T, t)                                                  \
    cublasStatus_t cublas##S##getrfBatched(cublasHandle_t h, int n,       \
        T *const a[], int lda, int *pivots, int *info, int batches)       \
    {                                                                     \
        T *const *all = bytes_at(a);                                      \
        for (int i = 0; i < batches; i++) {                               \
            struct Matrix m = matrix(all[i], t, n, n, lda, CUBLAS_OP_N);  \
            NEEDS(h, m);                                                  \
            double *x = gather(m);                                        \
            int *to = pivots ? pivots + (ptrdiff_t)i * n : NULL;          \
            ((int *)bytes_at(info))[i] =                                  \
                factorise(x, n, to ? bytes_at(to) : NULL);                \
            scatter(m, x);                                                \
            free(x);                                                      \
            wrote(to, sizeof *to * (size_t)n);                            \
        }                                                                 \
        if (batches > 0)                                                  \
            wrote(info, sizeof *info * (size_t)batches);                  \
        return CUBLAS_STATUS_SUCCESS;                                     \
    }
FACTORS(S, float, CUDA_R_32F)
FACTORS(D, double, CUDA_R_64F)

cublasStatus_t cublasXtCreate(cublasXtHandle_t *h)
{
    return cublasCreate((cublasHandle_t *)(void *)h);
}

cublasStatus_t cublasXtDestroy(cublasXtHandle_t h)
{
    return cublasDestroy((cublasHandle_t)(void *)h);
}

cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t h, int n, int *list)
{
    (void)h, (void)list;
    return n > 0 && n <= devices ? CUBLAS_STATUS_SUCCESS
                                 : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t h, int n)
{
    (void)h;
    return n > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasXtSgemm(
    cublasXtHandle_t h, cublasOperation_t ta, cublasOperation_t tb,
    size_t m, size_t n, size_t k, const float *alpha, const float *a,
    size_t lda, const float *b, size_t ldb, const float *beta, float *c,
    size_t ldc)
{
    host_matrices = true;
    cublasStatus_t s = cublasSgemm((cublasHandle_t)(void *)h, ta, tb,
        (int)m, (int)n, (int)k, alpha, a, (int)lda, b, (int)ldb, beta, c,
        (int)ldc);
    host_matrices = false;
    return s;
}
