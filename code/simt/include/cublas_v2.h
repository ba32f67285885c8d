/* Tangled from chapters/workshop/simt-runtime.nw, "Headers that are missing".  Edit it there. */

#ifndef SIMT_CUBLAS_H
#define SIMT_CUBLAS_H
#include "cuda_runtime_api.h"

#ifdef SIMT_REFUSED
#define SIMT_NO_CUBLAS "no cuBLAS: write a kernel, as " \
                       "ops/matmul/cuda_tiles.cu does"
SIMT_REFUSED_TYPE(cublasHandle_t, SIMT_NO_CUBLAS);
SIMT_REFUSED_TYPE(cublasStatus_t, SIMT_NO_CUBLAS);
SIMT_REFUSED_TYPE(cublasOperation_t, SIMT_NO_CUBLAS);
SIMT_REFUSED_TYPE(cublasComputeType_t, SIMT_NO_CUBLAS);
#endif

#endif
