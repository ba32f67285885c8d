/* Tangled from chapters/workshop/measuring-a-gpu.nw, "bench-latency: the caches of a CPU".  Edit it there. */

#ifndef BENCH_CHASE_H
#define BENCH_CHASE_H

#include <stddef.h>
#include <stdint.h>

#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* Fill next[0..n) with a random permutation of 0..n-1 that is one cycle:
 * 0, next[0], next[next[0]], ... visits every number before it returns.
 * n >= 1; the same seed gives the same cycle. */
void chase_cycle(uint32_t *next, size_t n, uint64_t seed);

/* How many steps lead from 0 back to 0; n + 1 if none of the first n. */
size_t chase_length(const uint32_t *next, size_t n);

C_FUNCTIONS_END

#endif
