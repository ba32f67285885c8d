/* Appendix K, Timing the operators: K.3.1 The peak of a machine */
/* Tangled from chapters/k-timing.nw by `make tangle`; edit it there. */

#ifndef LAB_MACHINE_PEAK_H
#define LAB_MACHINE_PEAK_H

#include <stddef.h>
#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* The most FLOP/s of this machine in "fp32", "tf32" or "bf16": of a GPU in
 * our table what its maker states (dense), else measured; source says
 * which of the two. */
double machine_peak(const char *precision, double seconds, char *source,
                    size_t size);

/* The most float32 arithmetic of the machine that this program's operators
 * run on, in GFLOP/s, measured for about `seconds`. */
double machine_peak_gflops(double seconds);

C_FUNCTIONS_END

#endif
