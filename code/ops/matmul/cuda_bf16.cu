/* Tangled from chapters/workshop/matmul-plumbing.nw, "Choosing an implementation".  Edit it there. */

#include "ops/linear/bias_grad_bf16.h"
#include "ops/matmul/matmul_impls.h"
#include "ops/operators.h"

/* list the implementations of the matmul */
static const struct MatmulImpl impls[] = {
#ifndef __SIMT__                        /* there is no library there */
    { "cublas", matmul_bf16_cublaslt, NULL, false },
    { "hopper", matmul_bf16_hopper, NULL, true },
#endif
    { "mma", matmul_bf16_mma, NULL, false },
    { "plain", matmul_bf16_plain, NULL, false },
#ifdef __SIMT__                 /* there only if it is asked for */
    { "hopper", matmul_bf16_hopper, NULL, true },
#endif
    { NULL, NULL, NULL, false },
};

/* choose an implementation of the matmul */
bool cuda_matmul_bf16_use(const char *name)
{
    return impl_use(&backend_current()->kernels.matmul_bf16, impls, name);
}

/* check the fields of a matmul */
static bool matmul_bf16_check(const struct MatmulBf16 *p)
{
    const char *wrong =
        p->M < 0 || p->N < 0 || p->K < 0 ? "a negative size" :
        p->epilogue == EPI_DGELU && !p->pre ? "DGELU without pre" :
        p->epilogue && p->out_float ? "GELU with a float result" :
        p->epilogue && (p->add || p->flags & GEMM_ADD)
            ? "GELU of a sum with add" :
        p->epilogue == EPI_DGELU && p->bias ? "DGELU with a bias" :
        p->out_float && (p->bias || p->add)
            ? "bias or add with a float result" :
        p->add && p->flags & GEMM_ADD ? "both add and GEMM_ADD" :
        p->bias_grad && !p->out_float && p->epilogue != EPI_DGELU
            ? "a bias gradient of neither DGELU nor a float result" :
        p->bias_grad && p->out_float
            && (p->flags & GEMM_TB || (p->ldb && p->ldb != (size_t)p->N))
            ? "a bias gradient from a b that is not [K][N]" :
        p->bias_grad && p->ldo && p->ldo != (size_t)p->N
            ? "a bias gradient with gaps between the rows" : NULL;
    if (wrong)
        backend_failed("product %d x %d x %d: %s; see "
                       "ops/matmul/matmul_bf16.h", p->M, p->N, p->K, wrong);
    return !wrong;
}

/* run a matmul by the implementation in use */
void cuda_matmul_bf16(const struct MatmulBf16 *given)
{
    struct MatmulBf16 p = *given;
    if (!matmul_bf16_check(&p))
        return;
    if (p.M == 0 || p.N == 0)
        return;
    /* fill in the strides, and out as an addend */
    p.lda = p.lda ? p.lda : p.flags & GEMM_TA ? p.M : p.K;
    p.ldb = p.ldb ? p.ldb : p.flags & GEMM_TB ? p.K : p.N;
    p.ldo = p.ldo ? p.ldo : p.N;
    if (p.flags & GEMM_ADD && !p.out_float)
        p.add = (const bf16 *)p.out;
    const struct MatmulImpl *impl =
        &impls[backend_current()->kernels.matmul_bf16];
    const bool done = impl->matmul_bf16(&p);
    if (!done)
        matmul_bf16_mma(&p);
    /* add up the columns for a bias gradient */
    if (p.bias_grad && p.out_float)
        bias_grad_bf16(p.bias_grad, p.b, p.K, p.N, p.accumulate_bias);
    else if (p.bias_grad && !(done && impl->sums))
        bias_grad_bf16(p.bias_grad, (const bf16 *)p.out, p.M, p.N,
                       p.accumulate_bias);
}
