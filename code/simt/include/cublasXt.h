/* Tangled from chapters/workshop/foreign-programs.nw, "What the calls compute".  Edit it there. */

#ifndef SIMT_CUBLASXT_H
#define SIMT_CUBLASXT_H
#include "cublas_v2.h"
typedef struct cublasXtContext *cublasXtHandle_t;
SIMT_API cublasStatus_t cublasXtCreate(cublasXtHandle_t *);
SIMT_API cublasStatus_t cublasXtDestroy(cublasXtHandle_t);
SIMT_API cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t, int n,
                                             int *devices);
SIMT_API cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t, int);
SIMT_API cublasStatus_t cublasXtSgemm(
    cublasXtHandle_t, cublasOperation_t ta, cublasOperation_t tb, size_t m,
    size_t n, size_t k, const float *alpha, const float *a, size_t lda,
    const float *b, size_t ldb, const float *beta, float *c, size_t ldc);
#endif
