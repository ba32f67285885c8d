/* Tangled from chapters/workshop/foreign-programs.nw, "A small cuBLAS".  Edit it there. */

#ifndef SIMT_CUBLAS_H
#define SIMT_CUBLAS_H
#define CUBLAS_API_H_           /* for those who ask */
#ifdef __cplusplus
#include "cuda_runtime.h"
#else
#include "cuda_runtime_api.h"
#endif
#include "library_types.h"
#if defined(__CUDA__) && defined(__clang__)
#include "cuda_bf16.h"          /* cuBLAS's own header brings them */
#include "cuda_fp16.h"
#endif

/* types of cuBLAS */
typedef struct cublasContext *cublasHandle_t;
typedef enum {
    CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_NOT_INITIALIZED,
    CUBLAS_STATUS_ALLOC_FAILED = 3, CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH, CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13, CUBLAS_STATUS_INTERNAL_ERROR,
    CUBLAS_STATUS_NOT_SUPPORTED, CUBLAS_STATUS_LICENSE_ERROR,
} cublasStatus_t;
typedef enum { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C } cublasOperation_t;
typedef enum {
    CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER,
} cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT } cublasSideMode_t;
typedef enum {
    CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE,
} cublasPointerMode_t;
typedef enum {
    CUBLAS_ATOMICS_NOT_ALLOWED, CUBLAS_ATOMICS_ALLOWED,
} cublasAtomicsMode_t;

typedef enum {
    CUBLAS_DEFAULT_MATH, CUBLAS_TENSOR_OP_MATH, CUBLAS_PEDANTIC_MATH,
    CUBLAS_TF32_TENSOR_OP_MATH,
} cublasMath_t;
typedef enum {
    CUBLAS_COMPUTE_16F = 64, CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_FAST_16F = 74, CUBLAS_COMPUTE_32F_FAST_16BF,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77, CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_32I = 72,
} cublasComputeType_t;
typedef enum {
    CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_ALGO0,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
} cublasGemmAlgo_t;

/* handles of cuBLAS */
SIMT_API cublasStatus_t cublasCreate(cublasHandle_t *);
SIMT_API cublasStatus_t cublasDestroy(cublasHandle_t);
SIMT_API cublasStatus_t cublasGetVersion(cublasHandle_t, int *);
SIMT_API cublasStatus_t cublasSetStream(cublasHandle_t, cudaStream_t);
SIMT_API cublasStatus_t cublasGetStream(cublasHandle_t, cudaStream_t *);
SIMT_API cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t);
SIMT_API cublasStatus_t cublasSetAtomicsMode(cublasHandle_t,
                                             cublasAtomicsMode_t);
SIMT_API cublasStatus_t cublasSetWorkspace(cublasHandle_t, void *, size_t);
SIMT_API cublasStatus_t cublasSetPointerMode(cublasHandle_t,
                                             cublasPointerMode_t);
SIMT_API cublasStatus_t cublasGetPointerMode(cublasHandle_t,
                                             cublasPointerMode_t *);
SIMT_API const char *cublasGetStatusString(cublasStatus_t);
SIMT_API const char *cublasGetStatusName(cublasStatus_t);
#define cublasCreate_v2 cublasCreate
#define cublasDestroy_v2 cublasDestroy

#define SIMT_BLAS_COPY(name)                                              \
    SIMT_API cublasStatus_t cublas##name##Vector(                         \
        int n, int bytes, const void *from, int x, void *to, int y);      \
    SIMT_API cublasStatus_t cublas##name##VectorAsync(                    \
        int n, int bytes, const void *from, int x, void *to, int y,       \
        cudaStream_t s);                                                  \
    SIMT_API cublasStatus_t cublas##name##Matrix(                         \
        int rows, int columns, int bytes, const void *from, int lda,      \
        void *to, int ldb);                                                \
    SIMT_API cublasStatus_t cublas##name##MatrixAsync(                    \
        int rows, int columns, int bytes, const void *from, int lda,      \
        void *to, int ldb, cudaStream_t s);
SIMT_BLAS_COPY(Set)
SIMT_BLAS_COPY(Get)

/* vectors of cuBLAS */
#define SIMT_BLAS_VECTORS(S, s, T)                                        \
    SIMT_API cublasStatus_t cublas##S##axpy(cublasHandle_t h, int n,      \
        const T *alpha, const T *x, int incx, T *y, int incy);            \
    SIMT_API cublasStatus_t cublas##S##scal(cublasHandle_t h, int n,      \
        const T *alpha, T *x, int incx);                                  \
    SIMT_API cublasStatus_t cublas##S##copy(cublasHandle_t h, int n,      \
        const T *x, int incx, T *y, int incy);                            \
    SIMT_API cublasStatus_t cublas##S##swap(cublasHandle_t h, int n,      \
        T *x, int incx, T *y, int incy);                                  \
    SIMT_API cublasStatus_t cublas##S##dot(cublasHandle_t h, int n,       \
        const T *x, int incx, const T *y, int incy, T *result);           \
    SIMT_API cublasStatus_t cublas##S##asum(cublasHandle_t h, int n,      \
        const T *x, int incx, T *result);                                 \
    SIMT_API cublasStatus_t cublas##S##nrm2(cublasHandle_t h, int n,      \
        const T *x, int incx, T *result);                                 \
    SIMT_API cublasStatus_t cublas##S##gemv(cublasHandle_t h,             \
        cublasOperation_t t, int m, int n, const T *alpha, const T *a,    \
        int lda, const T *x, int incx, const T *beta, T *y, int incy);    \
    SIMT_API cublasStatus_t cublas##S##ger(cublasHandle_t h, int m,       \
        int n, const T *alpha, const T *x, int incx, const T *y,          \
        int incy, T *a, int lda);                                         \
    SIMT_API cublasStatus_t cublasI##s##amax(cublasHandle_t h, int n,     \
        const T *x, int incx, int *result);                               \
    SIMT_API cublasStatus_t cublasI##s##amin(cublasHandle_t h, int n,     \
        const T *x, int incx, int *result);
SIMT_BLAS_VECTORS(S, s, float)
SIMT_BLAS_VECTORS(D, d, double)

/* matrices of cuBLAS */
#define SIMT_BLAS_MATRICES(S, T)                                          \
    SIMT_API cublasStatus_t cublas##S##gemm(cublasHandle_t h,             \
        cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,  \
        const T *alpha, const T *a, int lda, const T *b, int ldb,         \
        const T *beta, T *c, int ldc);                                    \
    SIMT_API cublasStatus_t cublas##S##gemmStridedBatched(                \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,     \
        int m, int n, int k, const T *alpha, const T *a, int lda,         \
        long long step_a, const T *b, int ldb, long long step_b,          \
        const T *beta, T *c, int ldc, long long step_c, int batches);     \
    SIMT_API cublasStatus_t cublas##S##gemmBatched(                       \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,     \
        int m, int n, int k, const T *alpha, const T *const a[], int lda, \
        const T *const b[], int ldb, const T *beta, T *const c[],         \
        int ldc, int batches);                                            \
    SIMT_API cublasStatus_t cublas##S##geam(cublasHandle_t h,             \
        cublasOperation_t ta, cublasOperation_t tb, int m, int n,         \
        const T *alpha, const T *a, int lda, const T *beta, const T *b,   \
        int ldb, T *c, int ldc);
SIMT_BLAS_MATRICES(S, float)
SIMT_BLAS_MATRICES(D, double)
#define cublasDgemm_v2 cublasDgemm
#define cublasSgemm_v2 cublasSgemm

SIMT_API cublasStatus_t cublasGemmEx(
    cublasHandle_t, cublasOperation_t ta, cublasOperation_t tb, int m,
    int n, int k, const void *alpha, const void *a, cudaDataType_t type_a,
    int lda, const void *b, cudaDataType_t type_b, int ldb,
    const void *beta, void *c, cudaDataType_t type_c, int ldc,
    cublasComputeType_t, cublasGemmAlgo_t);
SIMT_API cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t, cublasOperation_t ta, cublasOperation_t tb, int m,
    int n, int k, const void *alpha, const void *a, cudaDataType_t type_a,
    int lda, long long step_a, const void *b, cudaDataType_t type_b,
    int ldb, long long step_b, const void *beta, void *c,
    cudaDataType_t type_c, int ldc, long long step_c, int batches,
    cublasComputeType_t, cublasGemmAlgo_t);

/* solvers of cuBLAS */
#define SIMT_BLAS_SOLVERS(S, T)                                           \
    SIMT_API cublasStatus_t cublas##S##trsm(cublasHandle_t h,             \
        cublasSideMode_t side, cublasFillMode_t fill,                     \
        cublasOperation_t t, cublasDiagType_t diagonal, int m, int n,     \
        const T *alpha, const T *a,                                       \
        int lda, T *b, int ldb);                                          \
    SIMT_API cublasStatus_t cublas##S##getrfBatched(cublasHandle_t h,     \
        int n, T *const a[], int lda, int *pivots, int *info,             \
        int batches);
SIMT_BLAS_SOLVERS(S, float)
SIMT_BLAS_SOLVERS(D, double)

/* types that are given as data types */
#ifdef __cplusplus
static inline cublasComputeType_t simt_compute_type(cudaDataType_t t)
{
    return t == CUDA_R_64F ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
}
static inline cublasStatus_t cublasGemmEx(
    cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
    int n, int k, const void *alpha, const void *a, cudaDataType_t type_a,
    int lda, const void *b, cudaDataType_t type_b, int ldb,
    const void *beta, void *c, cudaDataType_t type_c, int ldc,
    cudaDataType_t t, cublasGemmAlgo_t algo)
{
    return cublasGemmEx(h, ta, tb, m, n, k, alpha, a, type_a, lda, b,
                        type_b, ldb, beta, c, type_c, ldc,
                        simt_compute_type(t), algo);
}
static inline cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
    int n, int k, const void *alpha, const void *a, cudaDataType_t type_a,
    int lda, long long step_a, const void *b, cudaDataType_t type_b,
    int ldb, long long step_b, const void *beta, void *c,
    cudaDataType_t type_c, int ldc, long long step_c, int batches,
    cudaDataType_t t, cublasGemmAlgo_t algo)
{
    return cublasGemmStridedBatchedEx(
        h, ta, tb, m, n, k, alpha, a, type_a, lda, step_a, b, type_b, ldb,
        step_b, beta, c, type_c, ldc, step_c, batches,
        simt_compute_type(t), algo);
}
#endif
#endif
