/* Tangled from chapters/workshop/matmul-plumbing.nw, "Headers".  Edit it there. */

/* product_bodies.h: the bodies between which product() chooses, and those
 * of gemm().  Each is false if it cannot do what it is asked. */
#ifndef OPS_MATMUL_MATMUL_IMPLS_H
#define OPS_MATMUL_MATMUL_IMPLS_H

#include <string.h>
#include "ops/matmul/matmul_bf16.h"

/* of a struct that was checked, with no stride left at 0 */
bool product_lt(const struct Product *p);       /* product_lt.cu        */

/* For measuring what we do not do; all 0 in a program. */
struct Experiment {
    int candidate;      /* take the i-th proposal (from 1) of cuBLASLt   */
    float *sums;        /* let it add up columns too: of b, or of out    */
};
extern struct Experiment product_lt_experiment;

bool product_mma(const struct Product *p);      /* product_mma.cu       */
bool product_plain(const struct Product *p);

/* the same product in float */
/* c = op(a) op(b) + bias in float, as ops/matmul/matmul.h says; M, N > 0 */
struct Gemm {
    float *c;
    const float *a, *b, *bias;
    size_t ldc, lda, ldb;
    int M, N, K, flags;
};

bool gemm_tiles(const struct Gemm *g);          /* matmul.cu            */
bool gemm_lt(const struct Gemm *g);             /* product_lt.cu        */
bool gemm_lt_tf32(const struct Gemm *g);

/* a body, and how it is chosen */
/* A row of one of the tables, whose last row has no name. */
struct Body {
    const char *name;
    bool (*product)(const struct Product *p);
    bool (*gemm)(const struct Gemm *g);
};

/* *used = the row called name (NULL: the first); false if there is none. */
static inline bool body_use(const struct Body **used,
                            const struct Body *rows, const char *name)
{
    while (rows->name && name && strcmp(name, rows->name) != 0)
        rows++;
    if (rows->name)
        *used = rows;
    return rows->name;
}

#endif
