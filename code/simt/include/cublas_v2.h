/* Tangled from chapters/workshop/foreign-programs.nw, "A small cuBLAS".  Edit it there. */

#ifndef SIMT_CUBLAS_H
#define SIMT_CUBLAS_H
#include "cuda_runtime_api.h"
#include "library_types.h"

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
    CUBLAS_DEFAULT_MATH, CUBLAS_TENSOR_OP_MATH, CUBLAS_PEDANTIC_MATH,
    CUBLAS_TF32_TENSOR_OP_MATH,
} cublasMath_t;
typedef enum {
    CUBLAS_COMPUTE_16F = 64, CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77, CUBLAS_COMPUTE_64F = 70,
} cublasComputeType_t;
typedef enum {
    CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
} cublasGemmAlgo_t;

#if defined(__CUDA__) && defined(__clang__)
#include <cuda_bf16.h>          /* cuBLAS's own header brings them */
#include <cuda_fp16.h>

/* handles of cuBLAS */
#define SIMT_LIBRARY static inline __attribute__((unused))
SIMT_LIBRARY cublasStatus_t cublasCreate(cublasHandle_t *h)
{
    *h = (cublasHandle_t)malloc(1);
    return *h ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}
SIMT_LIBRARY cublasStatus_t cublasDestroy(cublasHandle_t h)
{
    free(h);
    return CUBLAS_STATUS_SUCCESS;
}
SIMT_LIBRARY cublasStatus_t cublasSetStream(cublasHandle_t, cudaStream_t)
{
    return CUBLAS_STATUS_SUCCESS;
}
SIMT_LIBRARY cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t)
{
    return CUBLAS_STATUS_SUCCESS;
}

/* a matrix product, column by column */
static __global__ void cublas_gemm(int ta, int tb, int m, int n, int k,
                                   float alpha, const float *a, int lda,
                                   long long step_a, const float *b,
                                   int ldb, long long step_b, float beta,
                                   float *c, int ldc, long long step_c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
    float sum = 0.0f;
    if (i >= m)
        return;
    a += step_a * blockIdx.z;
    b += step_b * blockIdx.z;
    c += step_c * blockIdx.z + i + (long long)j * ldc;
    for (int p = 0; p < k; p++)
        sum += a[ta ? p + (long long)i * lda : i + (long long)p * lda] *
               b[tb ? j + (long long)p * ldb : p + (long long)j * ldb];
    *c = alpha * sum + (beta == 0.0f ? 0.0f : beta * *c);
}

/* the matrix products of cuBLAS */
SIMT_LIBRARY cublasStatus_t cublasSgemmStridedBatched(
    cublasHandle_t, cublasOperation_t ta, cublasOperation_t tb, int m,
    int n, int k, const float *alpha, const float *a, int lda,
    long long step_a, const float *b, int ldb, long long step_b,
    const float *beta, float *c, int ldc, long long step_c, int batches)
{
    if (m <= 0 || n <= 0 || batches <= 0)
        return m < 0 || n < 0 ? CUBLAS_STATUS_INVALID_VALUE
                              : CUBLAS_STATUS_SUCCESS;
    cublas_gemm<<<dim3((m + 127) / 128, n, batches), 128>>>(
        ta != CUBLAS_OP_N, tb != CUBLAS_OP_N, m, n, k, *alpha, a, lda,
        step_a, b, ldb, step_b, *beta, c, ldc, step_c);
    return cudaPeekAtLastError() ? CUBLAS_STATUS_EXECUTION_FAILED
                                 : CUBLAS_STATUS_SUCCESS;
}
SIMT_LIBRARY cublasStatus_t cublasSgemm(
    cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
    int n, int k, const float *alpha, const float *a, int lda,
    const float *b, int ldb, const float *beta, float *c, int ldc)
{
    return cublasSgemmStridedBatched(h, ta, tb, m, n, k, alpha, a, lda, 0,
                                     b, ldb, 0, beta, c, ldc, 0, 1);
}
template <class Compute>
SIMT_LIBRARY cublasStatus_t cublasGemmEx(
    cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
    int n, int k, const void *alpha, const void *a, cudaDataType_t type_a,
    int lda, const void *b, cudaDataType_t type_b, int ldb,
    const void *beta, void *c, cudaDataType_t type_c, int ldc, Compute,
    cublasGemmAlgo_t)
{
    if (type_a != CUDA_R_32F || type_b != CUDA_R_32F ||
        type_c != CUDA_R_32F)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return cublasSgemm(h, ta, tb, m, n, k, (const float *)alpha,
                       (const float *)a, lda, (const float *)b, ldb,
                       (const float *)beta, (float *)c, ldc);
}
#endif
#endif
