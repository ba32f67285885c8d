/* Tangled from chapters/workshop/simt-runtime.nw, "Headers that are missing".  Edit it there. */

#ifndef SIMT_CUBLAS_H
#define SIMT_CUBLAS_H
#include "cuda_runtime_api.h"

typedef struct cublasContext *cublasHandle_t;
typedef enum {
    CUBLAS_STATUS_SUCCESS,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
} cublasStatus_t;

#ifdef SIMT_REFUSED
#define SIMT_NO_CUBLAS "no cuBLAS: write a kernel, as " \
                       "ops/matmul/cuda_tiles.cu does"
SIMT_REFUSED(cublasCreate, SIMT_NO_CUBLAS);
SIMT_REFUSED(cublasDestroy, SIMT_NO_CUBLAS);
SIMT_REFUSED(cublasSgemm, SIMT_NO_CUBLAS);
SIMT_REFUSED(cublasSgemv, SIMT_NO_CUBLAS);
SIMT_REFUSED(cublasHgemm, SIMT_NO_CUBLAS);
SIMT_REFUSED(cublasGemmEx, SIMT_NO_CUBLAS);
SIMT_REFUSED(cublasSgemmStridedBatched, SIMT_NO_CUBLAS);
SIMT_REFUSED_TYPE(cublasOperation_t, SIMT_NO_CUBLAS);
SIMT_REFUSED_TYPE(cublasComputeType_t, SIMT_NO_CUBLAS);
#endif

#endif
