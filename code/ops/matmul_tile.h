/* Chapter 17b, A matmul for two cores: 17b.2 The blocks */
/* Tangled from chapters/17b-cpu-matmul.nw by `make tangle`; edit it there. */

#ifndef OPS_MATMUL_TILE_H
#define OPS_MATMUL_TILE_H

#include "base/real.h"

#include <stdbool.h>
#include <stddef.h>

/* What a micro-kernel is asked to do: one tile of c from one sliver of
 * packed a and one of packed b. */
struct Tile {
    real *c;
    size_t ldc;
    int rows, cols, depth;      /* rows <= mr, cols <= nr, depth <= KC  */
    const real *a;              /* [depth][rows]                        */
    const real *b;              /* [depth][nr], zero beyond cols        */
    const real *bias;           /* [cols] or NULL                       */
    bool add;                   /* c += rather than c =                 */
    const char *ahead;          /* touch ahead, ahead + step, ... once  */
    size_t step;                /* per PREFETCH_EVERY levels of depth   */
};

#define PREFETCH_EVERY 8
#define MR_MAX 16
#define NR_MAX 64

struct Kernel {
    const char *name;
    int mr, nr;
    bool (*runs_here)(void);
    void (*tile)(const struct Tile *t);
    void (*copy)(real *to, const real *from, size_t deep, int depth);
};

/* Best first; ends with a name of NULL. */
extern const struct Kernel gemm_kernels[];

#endif
