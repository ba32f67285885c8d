/* Tangled from chapters/gpt2/operators-on-the-gpu.nw, "A thread for each element: residual, AdamW, GELU".  Edit it there. */

#include "ops/fp32/fp32.h"
#include "ops/gelu/gelu.h"
#include "ops/gelu/gelu_math.h"
#include "ops/kernels/common.cuh"
#include "ops/operators.h"

/* gelu kernels */
/* y = gelu(x), one thread per element.
 *   launch    ceil(n / 256) blocks of 256
 *   moves     8n bytes: 4 sectors in and 4 out for each warp
 *   ceiling   memory */
__global__ void gelu_fwd_kernel(float *y, const float *x, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = gelu_value(x[i]);
}

/* The same launch; moves 12n bytes. */
__global__ void gelu_bwd_kernel(float *dx, const float *dy,
                                const float *x, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        dx[i] = dy[i] * gelu_slope(x[i]);
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
