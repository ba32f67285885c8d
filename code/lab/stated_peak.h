/* Appendix K, Timing the operators: K.3.1 The peak of a machine */
/* Tangled from chapters/k-timing.nw by `make tangle`; edit it there. */

#ifndef LAB_STATED_PEAK_H
#define LAB_STATED_PEAK_H

#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* What the maker of the GPU of this name states for "fp32", "tf32" or
 * "bf16", in FLOP/s; 0 if it is not in our table, where *row is its
 * name. */
double stated_peak(const char *gpu, const char *precision,
                   const char **row);

C_FUNCTIONS_END

#endif
