/* Tangled from chapters/workshop/foreign-programs.nw, "What the calls compute".  Edit it there. */

#ifndef SIMT_CUBLASLT_H
#define SIMT_CUBLASLT_H
#include "cublas_v2.h"
typedef struct cublasLtContext *cublasLtHandle_t;
static inline cublasStatus_t cublasLtCreate(cublasLtHandle_t *h)
{
    return cublasCreate((cublasHandle_t *)h);
}
static inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t h)
{
    return cublasDestroy((cublasHandle_t)h);
}
#endif
