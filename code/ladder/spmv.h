/* Tangled from chapters/machine/roofline.nw, "Dense against sparse".  Edit it there. */

#ifndef LADDER_SPMV_H
#define LADDER_SPMV_H

#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* a sparse matrix */
/* Compressed sparse rows: the nonzeros of row r are
 * value[start[r]] .. value[start[r + 1] - 1], each in its column. */
struct Csr {
    int rows, columns;
    const int *start;           /* [rows + 1], rising   */
    const int *column;          /* [start[rows]]        */
    const float *value;         /* [start[rows]]        */
};

/* a product with it */
/* y[r] = sum over the nonzeros of row r of value * x[column].
 *
 *   memory     all arrays on the device; y [rows], x [columns]
 *   sizes      0 <= rows <= 2^27, as 32 lanes of each are numbered by 32
 *              bits; fewer than 2^31 - 32 nonzeros; a row may be empty
 *   launch     one kernel in the default stream; not waited for
 *   moves      8 bytes a nonzero, 8 a row; x where no cache has it
 *   numerics   one sum a lane, in order; then the lanes' in a tree
 */
typedef void spmv_fn(float *y, const struct Csr *a, const float *x);

struct Spmv { const char *name; spmv_fn *run; };

const struct Spmv *spmvs(void);         /* ends with a NULL name */

C_FUNCTIONS_END

#endif
