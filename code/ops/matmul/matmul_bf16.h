/* Tangled from chapters/workshop/matmul-plumbing.nw, "Headers".  Edit it there. */

/* matmul_bf16.h: matmuls in bf16, with an epilogue.
 * GPU only; cublaslt.cu asks the library, cuda_mma.cu is ours. */
#ifndef OPS_MATMUL_MATMUL_BF16_H
#define OPS_MATMUL_MATMUL_BF16_H

#include "ops/kernels/bf16.h"
#include "ops/matmul/matmul.h"          /* GEMM_TA, GEMM_TB, GEMM_ADD */

#include <stdbool.h>
#include <stddef.h>

C_FUNCTIONS_BEGIN

/* list the epilogues */
enum Epilogue {
    EPI_NONE,
    EPI_GELU,           /* out = gelu(x); pre = x, if pre is not NULL   */
    EPI_DGELU,          /* out = x * gelu'(pre), the gradient of that   */
};

/* struct MatmulBf16 */
/* With x = op(a) op(b) + bias + add, out is x or what the epilogue makes
 * of it.  All pointers are to memory of the machine. */
struct MatmulBf16 {
    int M, N, K, flags;         /* GEMM_TA, GEMM_TB; GEMM_ADD: out += x */
    const bf16 *a, *b;
    size_t lda, ldb, ldo;       /* from row to row; 0: rows touch       */
    void *out;                  /* bf16 [M][N], or float [M][N]         */
    bool out_float;
    /* `struct MatmulBf16` fields of the epilogue */
    const bf16 *bias;           /* [N] or NULL                          */
    const bf16 *add;            /* [M][N], rows of ldo, or NULL; may be
                                 * out; neither with an epilogue        */
    enum Epilogue epilogue;
    bf16 *pre;                  /* [M][N], rows of ldo                  */
    float *bias_grad;           /* [N] or NULL: sums of the columns of
                                 * out (DGELU), of b (out_float), whose
                                 * rows have N elements and touch       */
    bool accumulate_bias;       /* add them to what is there            */
};

/* declare the matmul */
/* Compute it, on backend_stream().
 *
 *   sizes     M, N, K >= 0; K = 0 is a sum without terms
 *   numerics  every element is summed in fp32 in an order that depends on
 *             the struct only; bias, add and the epilogue work on the
 *             fp32 sum; one rounding, to the nearest bf16, at the end
 *   fast      when pointers are multiples of 16 bytes and lda, ldb, ldo
 *             of 8 elements; right without that
 *   memory    a workspace, taken at the first call; out overlaps neither
 *             a nor b */
void matmul_bf16(const struct MatmulBf16 *p);

/* choosing an implementation by name */
/* "cublas", "hopper" (both missing on the software GPU), "mma", "plain". */
/* Take the one called name on the current backend from now on (NULL: the
 * first); false if there is none. */
bool matmul_bf16_use(const char *name);
C_FUNCTIONS_END

#endif
