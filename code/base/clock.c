/* Tangled from chapters/workshop/ground-floor.nw, "Time, and the type of a number".  Edit it there. */

#include "base/clock.h"

#include <time.h>

double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
