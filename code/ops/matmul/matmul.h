/* Tangled from chapters/workshop/measuring-a-cpu.nw, "The rest of the matmul".  Edit it there. */

#ifndef OPS_MATMUL_MATMUL_H
#define OPS_MATMUL_MATMUL_H

#include "base/real.h"

#include <stdbool.h>
#include <stddef.h>

C_FUNCTIONS_BEGIN

/* the flags of a gemm */
enum {
    GEMM_TA  = 1,       /* a is stored [K,M], op(a) is its transpose    */
    GEMM_TB  = 2,       /* b is stored [N,K], op(b) is its transpose    */
    GEMM_ADD = 4,       /* c += op(a) op(b); without it c is not read   */
    GEMM_NONTEMPORAL = 8,   /* c is not read soon: past the caches       */
};

/* c = op(a) op(b) */
/* c[M,N] = op(a)[M,K] op(b)[K,N], or c += with GEMM_ADD.
 *
 *   storage    row-major, contiguous; no alignment needed; c overlaps
 *              neither a nor b
 *   sizes      M, N, K >= 0; K = 0 makes c zero (or leaves it, with ADD)
 *   numerics   each element is summed over k in a fixed order, the same
 *              for any number of threads: same inputs, same bits.
 *              NaN and infinity in a or b arrive in c; without ADD what
 *              was in c before does not
 *   threads    starts an OpenMP team if the work is worth one; may be
 *              called from inside a parallel loop, and then runs alone
 *   memory     one panel of 4 MiB (double: 8), taken at a thread's first
 *              call and kept, and 0.6 MiB (1.1) for each thread of a team
 */
void gemm(real *c, const real *a, const real *b, int M, int N, int K,
          int flags);

/* the same with a bias, and with the sum of squares */
/* The same, plus bias[n] in every row: c = op(a) op(b) + bias. bias may be
 * NULL. */
void gemm_bias(real *c, const real *a, const real *b, const real *bias,
               int M, int N, int K, int flags);

/* The same on parts of larger matrices: lda, ldb, ldc are the distances, in
 * elements, from one stored row to the next. */
void gemm_strided(real *c, size_t ldc, const real *a, size_t lda,
                  const real *b, size_t ldb, const real *bias,
                  int M, int N, int K, int flags);

/* gemm, and *sumsq += the sum of the squares of what c holds then, the
 * same for any number of threads: up to eight of a column are added as
 * reals (so a c beyond 6e18 is infinite here), the rest in double.  NULL:
 * not wanted; on a GPU always NULL. */
void gemm_sumsq(real *c, const real *a, const real *b, int M, int N,
                int K, int flags, double *sumsq);

/* choosing a kernel by name */
enum { GEMM_TILES = 0 };        /* kernels.gemm of a GPU's own kernel */

/* The kernels this program holds: gemm_kernel(i) is the name of the i-th,
 * best first, or NULL past the last.  The first one this CPU can run is
 * taken, unless gemm_use names another. */
const char *gemm_kernel(int i);

/* Take the kernel called name from now on (NULL: the best again), on the
 * current backend; false if there is none, or this CPU cannot run it. */
bool gemm_use(const char *name);

/* The name of the kernel in use. */
const char *gemm_used(void);
C_FUNCTIONS_END

#endif
