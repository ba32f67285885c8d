/* Tangled from chapters/workshop/measuring-fusion.nw, "The sigmoids".  Edit it there. */

#ifndef LADDER_RECOMPUTE_H
#define LADDER_RECOMPUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/extern_c.h"

C_FUNCTIONS_BEGIN

/* what three sigmoids work on */
/* y = s(s(s(x))) with s(x) = 1 / (1 + exp(-x)), and from dy, the gradient
 * of y, that of x.  Arrays [n], fp32, on the device, at multiples of 16
 * bytes; they do not overlap.  Not waited for. */
struct Sigmoids {
    size_t n;                       /* 1 <= n < 2^33                     */
    const float *x, *dy;
    float *y, *dx;
    float *kept;                    /* sigmoids_kept(n, 2) numbers       */
    float *t[2];                    /* [n] each: intermediate gradients  */
};

struct Recompute {
    const char *name;
    int kernels, words;             /* launched; moved for a number      */
    void (*forward)(const struct Sigmoids *d);
    void (*backward)(const struct Sigmoids *d);
};

/* The ladder; a row without a name ends it. */
const struct Recompute *recomputes(void);

/* Numbers of `arrays` arrays of n, each at a multiple of 16 bytes. */
size_t sigmoids_kept(size_t n, int arrays);

/* a chain of any depth */
/* The same with `depth` sigmoids, one of DEPTHS; keep: all results but the
 * last are written and read, else only x is read.  d->kept has room for
 * depth - 1 arrays. */
#define DEPTHS 2, 3, 4, 6, 8, 12, 16
void chain_forward(const struct Sigmoids *d, int depth, bool keep);
void chain_backward(const struct Sigmoids *d, int depth, bool keep);

C_FUNCTIONS_END

#endif
