/* Tangled from chapters/workshop/measuring-reductions.nw, "Launches".  Edit it there. */

#ifndef LADDER_HISTOGRAM_H
#define LADDER_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* what every histogram does */
/* count[v] = how many of x[0..n) are v, for all 256 values of a byte; in
 * device memory.
 *
 *   sizes      1 <= n < 2^32
 *   alignment  x 16 bytes
 *   launch     in the default stream; not waited for
 *   moves      n bytes
 *   ceiling    memory: a kernel that reads x */
typedef void histogram_fn(uint32_t *count, const uint8_t *x, size_t n);

struct Histogram {
    const char *name;
    histogram_fn *run;
};

/* The ladder, in the chapter's order; a row without a name ends it. */
const struct Histogram *histograms(void);

C_FUNCTIONS_END

#endif
