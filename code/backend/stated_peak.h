/* Tangled from chapters/workshop/timing-operators.nw, "The peak of a machine".  Edit it there. */

#ifndef BACKEND_STATED_PEAK_H
#define BACKEND_STATED_PEAK_H

#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* What the maker of the GPU of this name states for "fp32", "tf32" or
 * "bf16", in FLOP/s; 0 if it is not in our table, where *row is its
 * name. */
double stated_peak(const char *gpu, const char *precision,
                   const char **row);

C_FUNCTIONS_END

#endif
