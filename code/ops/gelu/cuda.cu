/* Tangled from chapters/gpt2/operators-on-the-gpu.nw, "A thread for each element".  Edit it there. */

#include "ops/fp32/fp32.h"
#include "ops/gelu/gelu.h"
#include "ops/kernels/common.cuh"
#include "ops/operators.h"

/* the constants of GELU, and a clamp */
#define TWO_U 1.5957691216057308        /* 2 sqrt(2 / pi) */
#define CUBIC 0.044715

ALWAYS_INLINE real clamp(real x, real limit)
{
    x = x < -limit ? -limit : x;
    return x > limit ? limit : x;
}

/* gelu kernels */
/* y = gelu(x), one thread per element.
 *   launch    ceil(n / 256) blocks of 256
 *   moves     8n bytes: 4 sectors in and 4 out for each warp
 *   ceiling   memory */
__global__ void gelu_fwd_kernel(float *y, const float *x, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    /* u2 = 2u of x[i] */
    real c = clamp(x[i], 12);
    real u2 = c * ((real)TWO_U + (real)(TWO_U * CUBIC) * c * c);
    y[i] = x[i] * vsigmoid(u2);
}

/* The same launch; moves 12n bytes. */
__global__ void gelu_bwd_kernel(float *dx, const float *dy,
                                const float *x, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    /* s = sigmoid(2u), d = s (1 - s), du2 = the derivative of 2u */
    real c = clamp(x[i], 12);
    real cc = (real)(TWO_U * CUBIC) * c * c;
    real du2 = (real)TWO_U + 3 * cc;
    real u2 = c * ((real)TWO_U + cc);
    real e = vexp(u2 < 0 ? u2 : -u2);           /* exp(-|2u|), at most 1 */
    real r = 1 / (1 + e), d = e * r * r;
    real s = u2 < 0 ? e * r : r;
    dx[i] = dy[i] * (s + c * d * du2);
}

/* launch gelu */
void cuda_gelu_fwd(real *y, const real *x, size_t n)
{
    profile_range("gelu");
    if (fp32_gelu_fwd(y, x, n))
        return;
    gelu_fwd_kernel<<<blocks_for(n, THREADS), THREADS, 0,
                      backend_stream()>>>(y, x, n);
    LAUNCHED();
}

void cuda_gelu_bwd(real *dx, const real *dy, const real *x, size_t n)
{
    profile_range("gelu bwd");
    if (fp32_gelu_bwd(dx, dy, x, n))
        return;
    gelu_bwd_kernel<<<blocks_for(n, THREADS), THREADS, 0,
                      backend_stream()>>>(dx, dy, x, n);
    LAUNCHED();
}
