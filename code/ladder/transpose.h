/* Tangled from chapters/workshop/measuring-a-gpu.nw, "transpose: the ladder".  Edit it there. */

#ifndef LADDER_TRANSPOSE_H
#define LADDER_TRANSPOSE_H

#include <stddef.h>

#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* what every version of the transpose promises */
/* out[n][m] = in[m][n] for m < M, n < N: float32, rows contiguous, in
 * device memory; out and in do not overlap.
 *
 *   sizes      1 <= M, N <= 524,280, both divisible by `multiple`: a
 *              grid has at most 65,535 blocks down, here of 8 rows
 *   alignment  16 bytes where multiple is 4
 *   launch     one kernel in the default stream; not waited for
 *   moves      8 M N bytes: each number in once and out once
 *   ceiling    memory: a copy of in to out
 */
typedef void transpose_fn(float *out, const float *in, int M, int N);

struct Transpose {
    const char *name;
    transpose_fn *run;
    int multiple;               /* of what M and N must be: 1 or 4 */
};

/* The ladder, slowest idea first; a row without a name ends it. */
const struct Transpose *transposes(void);

C_FUNCTIONS_END

#endif
