/* Tangled from chapters/workshop/measuring-matmul.nw, "Measuring matrix products".  Edit it there. */

#ifndef LADDER_MATMUL_H
#define LADDER_MATMUL_H

#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* what every matmul does */
/* c[M,N] = a[M,K] b[K,N], float32, row-major, in device memory.
 *
 *   sizes      1 <= M, N <= 2^20, 1 <= K < 2^31 - 16
 *   alignment  16 bytes each; c overlaps neither a nor b
 *   launch     in the default stream; not waited for
 *   work       2 M N K FLOP
 *   ceiling    multiply-adds: what the fp32 units can do
 *   numerics   each element is summed over k in order with one rounding
 *              a multiply-add: all versions give the same bits */
typedef void matmul_fn(float *c, const float *a, const float *b, int M,
                       int N, int K);

struct Matmul {
    const char *name;
    matmul_fn *run;
};

/* The ladder, in the chapter's order; a row without a name ends it. */
const struct Matmul *matmuls(void);

C_FUNCTIONS_END

#endif
