/* Tangled from chapters/workshop/measuring-reductions.nw, "Launches".  Edit it there. */

#ifndef LADDER_SCAN_H
#define LADDER_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* what every scan does */
/* out[i] = x[0] + ... + x[i] modulo 2^32, i < n; in device memory, out is
 * not x.
 *
 *   sizes      1 <= n < 2^31
 *   scratch    scan_bytes(n) bytes
 *   alignment  16 bytes
 *   launch     in the default stream; not waited for
 *   moves      8 bytes a number at least; the table has each version's
 *   ceiling    memory: a copy of x to out */
typedef void scan_fn(uint32_t *out, const uint32_t *x, size_t n,
                     void *scratch);

/* the table of scans */
struct Scan {
    const char *name;
    scan_fn *run;
    int moves;
};

/* The ladder, in the chapter's order; a row without a name ends it. */
const struct Scan *scans(void);
size_t scan_bytes(size_t n);

/* what every compaction does */
/* Those of x[0..n) that are larger than 0 to out[0..*count); in their order
 * if `stable`.  In device memory; out has room for n and is not x.  The
 * rest is as for a scan. */
typedef void compact_fn(float *out, uint32_t *count, const float *x,
                        size_t n, void *scratch);

struct Compact {
    const char *name;
    compact_fn *run;
    bool stable;
};

const struct Compact *compacts(void);

C_FUNCTIONS_END

#endif
