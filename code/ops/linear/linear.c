/* Tangled from chapters/workshop/timing-operators.nw, "Linear layers".  Edit it there. */

#include "ops/linear/linear.h"

#include "ops/matmul/matmul.h"

/* compute a linear layer */
void linear_fwd(real *y, const real *x, const real *w, const real *b,
                int N, int C, int OC)
{
    gemm_bias(y, x, w, b, N, OC, C, 0);
}

/* compute the gradients of a linear layer */
void linear_bwd(real *dx, real *dw, real *db, const real *dy,
                const real *x, const real *w, int N, int C, int OC,
                bool accumulate, double *sumsq)
{
    const int add = accumulate ? GEMM_ADD : 0;
    const int flags = GEMM_TA | GEMM_NONTEMPORAL | add;
    if (dx)
        gemm(dx, dy, w, N, C, OC, GEMM_TB);
    gemm_sumsq(dw, x, dy, C, OC, N, flags, sumsq);
    if (db)
        bias_grad(db, dy, N, OC, accumulate);
}
