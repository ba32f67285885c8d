/* Tangled from chapters/workshop/measuring-a-cpu.nw, "The rest of the matmul".  Edit it there. */

#ifndef OPS_MATMUL_CPU_TILE_H
#define OPS_MATMUL_CPU_TILE_H

#include "base/real.h"

#include <stdbool.h>
#include <stddef.h>

/* what a micro-kernel is told */
#define TOUCH_EVERY 8
#define NR_MAX 48
#define ROW_MAX 8
#define STRIP_MAX 192

struct Tile {
    real *c;
    size_t ldc;
    int rows, cols, depth;      /* rows <= mr, cols <= nr, depth <= KC  */
    const real *a;              /* [depth][mr]                          */
    const real *b;              /* [depth][nr]                          */
    const real *bias;           /* [cols] or NULL                       */
    bool add;                   /* c += rather than c =                 */
    double *sumsq;            /* [nr] or NULL: += those of c          */
    /* where a finished tile goes */
    real *buffer;               /* [mr][nr]: instead of c, or NULL      */
    const real *pending;        /* a tile in a buffer, to be stored at  */
    real *pending_c;            /* pending_c now, or NULL               */
    /* where the next bytes are */
    const real *next_c;         /* where the next tile begins in c, and */
    const real *next_a;         /* its sliver of a: both are touched,   */
    const char *ahead;          /* and ahead, ahead + step, ...: one of */
    size_t step;                /* each every TOUCH_EVERY depths        */
};

/* what the way of few rows is told */
enum {
    FEW = 8,            /* rows of a at most */
    FEW_COLS = 1024,    /* columns that have sums at a time */
    FEW_UNIT = 16,      /* a thread has a multiple of so many columns */
};

/* sums[m][n] += the sum over k < depth of a[m][k] b[k][n], or b[n][k] if
 * `turned`, for M <= FEW rows m and `cols` columns n.  Where b has fewer
 * columns than a vector, the sums after the last one have no meaning. */
struct Few {
    real *sums;                 /* [M][FEW_COLS] */
    const real *a, *b;
    size_t lda, ldb;
    int M, depth, cols;
    bool turned;
};

/* a kernel, as the loops around it see it */
struct Kernel {
    const char *name;
    int mr, nr;                 /* rows and columns of its tile */
    int strip;                  /* columns that a thread packs at a time */
    bool streams;               /* knows stores that leave caches alone */
    bool (*runs_here)(void);
    void (*tile)(const struct Tile *t);
    void (*pack)(real *to, int width, const real *from, size_t line,
                 size_t deep, int lines, int depth);
    void (*few)(const struct Few *f);
};

/* Best first; ends with a name of NULL. */
extern const struct Kernel gemm_kernels[];

#endif
