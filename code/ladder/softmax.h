/* Tangled from chapters/workshop/attention-plumbing.nw, "The ladder of softmax".  Edit it there. */

#ifndef LADDER_SOFTMAX_H
#define LADDER_SOFTMAX_H

#include <stddef.h>

#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* declare a softmax of rows */
/* y[n,:] = exp(x[n,:] - log(sum over c of exp(x[n,c]))): float [N][C] in
 * device memory; y may be x.
 *
 *   sizes      1 <= N < 2^31, 1 <= C <= `most`
 *   needs      x and y aligned to 16 bytes
 *   launch     a block per row, in the default stream; not waited for
 *   moves      `passes` times 4 N C bytes, one of them written
 *   numerics   a row with NaN is NaN, a row of -infinity too; -infinity
 *              in another row gives 0
 *   ceiling    memory: a copy of x to y, two passes */
typedef void softmax_fn(float *y, const float *x, int N, int C);

/* list the versions of softmax */
struct Softmax {
    const char *name;
    softmax_fn *run;
    int most, passes;
};

/* The ladder, slowest idea first; a row without a name ends it. */
const struct Softmax *softmaxes(void);

C_FUNCTIONS_END

#endif
