/* Chapter 15b, The operators on the GPU, first versions: 15b.1 Where the numbers live */
/* Tangled from chapters/15b-operators-on-the-gpu.nw by `make tangle`; edit it there. */

#include <omp.h>
#include "lab/cpu_peak.h"
#include "lab/machine_peak.h"

double machine_peak_gflops(double seconds)
{
    return cpu_peak_gflops(omp_get_max_threads(), seconds);
}
