/* Appendix K, Timing the operators: K.3.1 The peak of a machine */
/* Tangled from chapters/k-timing.nw by `make tangle`; edit it there. */

#include <omp.h>
#include <stdio.h>
#include "lab/cpu_peak.h"
#include "lab/machine_peak.h"

double machine_peak_gflops(double seconds)
{
    return cpu_peak_gflops(omp_get_max_threads(), seconds);
}

double machine_peak(const char *precision, double seconds, char *source,
                    size_t size)
{
    (void)precision;
    snprintf(source, size, "measured");
    return 1e9 * machine_peak_gflops(seconds);
}
