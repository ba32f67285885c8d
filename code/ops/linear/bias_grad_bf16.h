/* Tangled from chapters/workshop/fused-details.nw, "Sums of columns".  Edit it there. */

#ifndef OPS_LINEAR_BIAS_GRAD_BF16_H
#define OPS_LINEAR_BIAS_GRAD_BF16_H

#include <stdbool.h>
#include "base/extern_c.h"
#include "ops/kernels/bf16.h"

C_FUNCTIONS_BEGIN

/* the contract of column sums */
/* sum[c] = the sum of x[:,c], or added to sum[c] if accumulate
 *
 *   sum       float [C]
 *   x         bf16 [N][C], at a multiple of 16 bytes if C is one of 8
 *   moves     2 NC bytes, and partial sums
 *   numerics  float, over fixed sets of rows (by N and C), then over the
 *             sets */
void bias_grad_bf16(float *sum, const bf16 *x, int N, int C,
                    bool accumulate);

/* the second pass of column sums, for others */
/* What blocks have left: part[i][k][c], i < parts, k < sums <= 3. */
struct Parts {
    float *sum[3];          /* float [C] each; NULL: not wanted */
    const float *part;
    int sums, parts;
};

/* sum[k][c] = the sum of part[:][k][c], or added to it. */
void sum_parts(const struct Parts *p, int C, bool accumulate);

C_FUNCTIONS_END

#endif
