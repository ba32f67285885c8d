/* Chapter 15b, The operators on the GPU, first versions: 15b.1 Where the numbers live */
/* Tangled from chapters/15b-operators-on-the-gpu.nw by `make tangle`; edit it there. */

#ifndef LAB_MACHINE_PEAK_H
#define LAB_MACHINE_PEAK_H

#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* The most float32 arithmetic of the machine that this program's operators
 * run on, in GFLOP/s, measured for about `seconds`. */
double machine_peak_gflops(double seconds);

C_FUNCTIONS_END

#endif
