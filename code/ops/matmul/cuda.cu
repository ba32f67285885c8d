/* Tangled from chapters/workshop/matmul-plumbing.nw, "Products of floats on a GPU".  Edit it there. */

#include <assert.h>
#include <stdlib.h>
#include "backend/backend.h"
#include "base/error.h"
#include "ops/matmul/matmul_impls.h"

/* the bodies of gemm */
/* The first is the default, since it has the same bits on every GPU. */
static const struct MatmulImpl bodies[] = {
    { "tiles", NULL, gemm_tiles },
#ifndef __SIMT__
    { "cublas", NULL, gemm_cublaslt },
    { "cublas-tf32", NULL, gemm_cublaslt_tf32 },
#endif
    { NULL, NULL, NULL },
};

static const struct MatmulImpl *impl_in_use;

/* choose a body of gemm */
const char *gemm_kernel(int i)
{
    return bodies[i].name;
}

bool gemm_use(const char *name)
{
    return impl_use(&impl_in_use, bodies, name);
}

const char *gemm_used(void)
{
    const char *name = getenv("GEMM_KERNEL");
    if (!impl_in_use && !gemm_use(name))
        misuse("GEMM_KERNEL=%s: no such kernel here", name);
    return impl_in_use->name;
}

/* the doors of gemm on a GPU */
void gemm_strided(real *c, size_t ldc, const real *a, size_t lda,
                  const real *b, size_t ldb, const real *bias,
                  int M, int N, int K, int flags)
{
    const struct Gemm g = { c, a, b, bias, ldc, lda, ldb, M, N, K, flags };
    profile_range(flags & GEMM_TA ? "product TA" : flags & GEMM_TB
                  ? "product TB" : "product");
    gemm_used();
    if (M > 0 && N > 0 && !impl_in_use->gemm(&g))
        gemm_tiles(&g);
}

void gemm_bias(real *c, const real *a, const real *b, const real *bias,
               int M, int N, int K, int flags)
{
    gemm_strided(c, N, a, flags & GEMM_TA ? M : K, b,
                 flags & GEMM_TB ? K : N, bias, M, N, K, flags);
}

void gemm(real *c, const real *a, const real *b, int M, int N, int K,
          int flags)
{
    gemm_bias(c, a, b, NULL, M, N, K, flags);
}

void gemm_sumsq(real *c, const real *a, const real *b, int M, int N,
                int K, int flags, double *squares)
{
    assert(!squares);
    gemm(c, a, b, M, N, K, flags);
}
