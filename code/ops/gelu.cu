/* Chapter 15b, The operators on the GPU, first versions: 15b.2 A thread for each element */
/* Tangled from chapters/15b-operators-on-the-gpu.nw by `make tangle`; edit it there. */

#include "ops/floats.h"
#include "ops/gelu.h"
#include "ops/gpu.h"

/* the constants of GELU, and a clamp (15.3) */
#define TWO_U 1.5957691216057308        /* 2 sqrt(2 / pi) */
#define CUBIC 0.044715

VINLINE real clamp(real x, real limit)
{
    x = x < -limit ? -limit : x;
    return x > limit ? limit : x;
}

/* gelu kernels (15b.2) */
/* y = gelu(x), one thread per element.
 *   launch    ceil(n / 256) blocks of 256
 *   moves     8n bytes: 4 sectors in and 4 out for each warp
 *   ceiling   memory */
__global__ void gelu_fwd_kernel(float *y, const float *x, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    /* u2 = 2u of x[i] (15.3) */
    real c = clamp(x[i], 12);
    real u2 = c * ((real)TWO_U + (real)(TWO_U * CUBIC) * c * c);
    y[i] = x[i] * vsigmoid(u2);
}

/* gelu kernels, continued (15b.2) */
/* The same launch; moves 12n bytes. */
__global__ void gelu_bwd_kernel(float *dx, const float *dy,
                                const float *x, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    /* s = sigmoid(2u), d = s (1 - s), du2 = the derivative of 2u (15.3) */
    real c = clamp(x[i], 12);
    real cc = (real)(TWO_U * CUBIC) * c * c;
    real du2 = (real)TWO_U + 3 * cc;
    real u2 = c * ((real)TWO_U + cc);
    real e = vexp(u2 < 0 ? u2 : -u2);           /* exp(-|2u|), at most 1 */
    real r = 1 / (1 + e), d = e * r * r;
    real s = u2 < 0 ? e * r : r;
    dx[i] = dy[i] * (s + c * d * du2);
}

/* launch gelu (15b.2) */
void gelu_fwd(real *y, const real *x, size_t n)
{
    machine_mark("gelu");
    if (floats_gelu_fwd(y, x, n))
        return;
    gelu_fwd_kernel<<<blocks_for(n, THREADS), THREADS, 0,
                      machine_stream>>>(y, x, n);
    LAUNCHED();
}

/* launch gelu, continued (15b.2) */
void gelu_bwd(real *dx, const real *dy, const real *x, size_t n)
{
    machine_mark("gelu bwd");
    if (floats_gelu_bwd(dx, dy, x, n))
        return;
    gelu_bwd_kernel<<<blocks_for(n, THREADS), THREADS, 0,
                      machine_stream>>>(dx, dy, x, n);
    LAUNCHED();
}
