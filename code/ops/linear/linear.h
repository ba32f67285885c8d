/* Tangled from chapters/workshop/timing-operators.nw, "Linear layers".  Edit it there. */

#ifndef OPS_LINEAR_LINEAR_H
#define OPS_LINEAR_LINEAR_H

#include <stdbool.h>
#include "base/real.h"

C_FUNCTIONS_BEGIN

/* contract of `linear_fwd` */
/* y = x w + b
 *
 *   y         real [N][OC], overwritten; not x
 *   x         real [N][C]
 *   w         real [C][OC], the layout of GPT-2's files (Conv1D)
 *   b         real [OC], or NULL for none
 *   FLOP      2 N C OC, in gemm           moves  see gemm */
void linear_fwd(real *y, const real *x, const real *w, const real *b,
                int N, int C, int OC);

/* contract of `linear_bwd` */
/* dx = dy w'   dw (+)= x' dy   db (+)= the sum of dy over its rows
 *
 *   dx        overwritten; not dy.  NULL: not wanted
 *   dw, db    overwritten, or added to if accumulate; db may be NULL
 *   sumsq     += the sum of the squares of what dw then holds, see
 *             gemm_sumsq; NULL: not wanted
 *   FLOP      4 N C OC + N OC */
void linear_bwd(real *dx, real *dw, real *db, const real *dy,
                const real *x, const real *w, int N, int C, int OC,
                bool accumulate, double *sumsq);

/* db[c] = the sum of dy[:,c], or added to it: real [OC] from [N][OC]; the
 * part of linear_bwd that has an implementation for each machine.
 *   moves       4 N OC bytes in float     FLOP  N OC */
void bias_grad(real *db, const real *dy, int N, int OC, bool accumulate);

C_FUNCTIONS_END

#endif
