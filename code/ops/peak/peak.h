/* Tangled from chapters/workshop/timing-operators.nw, "The peak of a machine".  Edit it there. */

#ifndef OPS_PEAK_PEAK_H
#define OPS_PEAK_PEAK_H

#include <stddef.h>
#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* The most FLOP/s of this machine in "fp32", "tf32" or "bf16": of a GPU in
 * our table what its maker states (dense), else measured; source says
 * which of the two. */
double backend_peak(const char *precision, double seconds, char *source,
                    size_t size);

/* The most float32 arithmetic of the machine that this program's operators
 * run on, in GFLOP/s, measured for about `seconds`. */
double backend_peak_gflops(double seconds);

C_FUNCTIONS_END

#endif
