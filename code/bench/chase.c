/* Tangled from chapters/workshop/measuring-a-gpu.nw, "bench-latency: the caches of a CPU".  Edit it there. */

#include "bench/chase.h"

#include "base/rng.h"

/* a random cycle through all lines */
void chase_cycle(uint32_t *next, size_t n, uint64_t seed)
{
    struct Rng r = rng_new(seed, 0);
    for (size_t i = 0; i < n; i++)
        next[i] = (uint32_t)i;
    for (size_t i = n; i-- > 1; ) {
        size_t j = rng_below(&r, i);        /* j < i: never i itself */
        uint32_t was = next[i];
        next[i] = next[j];
        next[j] = was;
    }
}

size_t chase_length(const uint32_t *next, size_t n)
{
    size_t steps = 1, at = next[0];
    for (; at != 0 && steps <= n; steps++)
        at = next[at];
    return steps;
}
