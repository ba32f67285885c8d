/* Appendix T, The plumbing of the GPU's model: T.3 A machine that is not waited for */
/* Tangled from chapters/t-gpu-model.nw by `make tangle`; edit it there. */

/* marks.h: how long the parts of a program took, by their names. */
#ifndef OPS_MARKS_H
#define OPS_MARKS_H

#include <stdio.h>
#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* Add a time under a name (a constant); print a row per name, the longest
 * first, and forget all. */
void marks_add(const char *what, double seconds);
void marks_print(FILE *out);

C_FUNCTIONS_END

#endif
