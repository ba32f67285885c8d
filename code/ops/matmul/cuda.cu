/* Tangled from chapters/workshop/matmul-plumbing.nw, "Matmuls in fp32 on a GPU".  Edit it there. */

#include <assert.h>
#include "ops/matmul/matmul_impls.h"
#include "ops/operators.h"

/* the implementations of gemm */
/* The first is the default, since it has the same bits on every GPU. */
static const struct MatmulImpl impls[] = {
    { "tiles", NULL, gemm_tiles, false },
#ifndef __SIMT__
    { "cublas", NULL, gemm_cublaslt, false },
    { "cublas-tf32", NULL, gemm_cublaslt_tf32, false },
#endif
    { NULL, NULL, NULL, false },
};

/* choose an implementation of gemm */
const char *cuda_gemm_kernel(int i)
{
    return impls[i].name;
}

bool cuda_gemm_use(const char *name)
{
    return impl_use(&backend_current()->kernels.gemm, impls, name);
}

const char *cuda_gemm_used(void)
{
    return impls[backend_current()->kernels.gemm].name;
}

/* the doors of gemm on a GPU */
void cuda_gemm_strided(real *c, size_t ldc, const real *a, size_t lda,
                       const real *b, size_t ldb, const real *bias,
                       int M, int N, int K, int flags)
{
    const struct Gemm g = { c, a, b, bias, ldc, lda, ldb, M, N, K, flags };
    profile_range(flags & GEMM_TA ? "product TA" : flags & GEMM_TB
                  ? "product TB" : "product");
    const struct MatmulImpl *used = impls + backend_current(
        )->kernels.gemm;
    if (M > 0 && N > 0 && !used->gemm(&g))
        gemm_tiles(&g);
}

void cuda_gemm_bias(real *c, const real *a, const real *b, const real *bias,
                    int M, int N, int K, int flags)
{
    gemm_strided(c, N, a, flags & GEMM_TA ? M : K, b,
                 flags & GEMM_TB ? K : N, bias, M, N, K, flags);
}

void cuda_gemm(real *c, const real *a, const real *b, int M, int N, int K,
               int flags)
{
    gemm_bias(c, a, b, NULL, M, N, K, flags);
}

void cuda_gemm_sumsq(real *c, const real *a, const real *b, int M, int N,
                     int K, int flags, double *sumsq)
{
    assert(!sumsq);
    gemm(c, a, b, M, N, K, flags);
}
