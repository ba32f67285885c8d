/* Tangled from chapters/workshop/timing-operators.nw, "The peak of a machine".  Edit it there. */

#include <omp.h>
#include <stdio.h>
#include "backend/cpu_peak.h"
#include "ops/operators.h"
#include "ops/peak/peak.h"

double cpu_backend_peak_gflops(double seconds)
{
    return cpu_peak_gflops(omp_get_max_threads(), seconds);
}

double cpu_backend_peak(const char *precision, double seconds, char *source,
                        size_t size)
{
    (void)precision;
    snprintf(source, size, "measured");
    return 1e9 * backend_peak_gflops(seconds);
}
