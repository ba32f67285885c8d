/* Tangled from chapters/workshop/matmul-plumbing.nw, "Headers".  Edit it there. */

/* matmul_impls.h: the implementations of matmul_bf16() and of gemm().  Each
 * is false if it cannot do what it is asked. */
#ifndef OPS_MATMUL_MATMUL_IMPLS_H
#define OPS_MATMUL_MATMUL_IMPLS_H

#include <string.h>
#include "ops/matmul/matmul_bf16.h"

/* of a struct that was checked, with no stride left at 0 */
bool matmul_bf16_cublaslt(const struct MatmulBf16 *p); /* cublaslt.cu   */

/* For measuring what we do not do; all 0 in a program. */
struct CublasltExperiment {
    int candidate;      /* take the i-th proposal (from 1) of cuBLASLt   */
    float *sums;        /* let it add up columns too: of b, or of out    */
};
extern struct CublasltExperiment cublaslt_experiment;

bool matmul_bf16_hopper(const struct MatmulBf16 *p);   /* cuda_hopper.cu */
bool matmul_bf16_mma(const struct MatmulBf16 *p);      /* cuda_mma.cu   */
bool matmul_bf16_plain(const struct MatmulBf16 *p);

/* `struct Gemm` and its implementations */
/* c = op(a) op(b) + bias in fp32, as ops/matmul/matmul.h says; M, N > 0 */
struct Gemm {
    float *c;
    const float *a, *b, *bias;
    size_t ldc, lda, ldb;
    int M, N, K, flags;
};

bool gemm_tiles(const struct Gemm *g);          /* cuda_tiles.cu        */
bool gemm_cublaslt(const struct Gemm *g);       /* cublaslt.cu          */
bool gemm_cublaslt_tf32(const struct Gemm *g);

/* an implementation, and how it is chosen */
/* A row of one of the tables, whose last row has no name. */
struct MatmulImpl {
    const char *name;
    bool (*matmul_bf16)(const struct MatmulBf16 *p);
    bool (*gemm)(const struct Gemm *g);
    bool sums;          /* makes bias_grad of EPI_DGELU itself           */
};

/* *used = the row called name (NULL: the first); false if there is none. */
static inline bool impl_use(int *used, const struct MatmulImpl *rows,
                            const char *name)
{
    int i = 0;
    while (rows[i].name && name && strcmp(name, rows[i].name) != 0)
        i++;
    if (rows[i].name)
        *used = i;
    return rows[i].name;
}

#endif
