/* Tangled from chapters/gpt2/operators-on-the-gpu.nw, "A thread for each element: residual, AdamW, GELU".  Edit it there. */

#include "ops/kernels/common.cuh"
#include "ops/operators.h"
#include "ops/residual/residual.h"

/* residual: a thread per element */
/* y = a + b, one thread per element.
 *   launch    ceil(n / 256) blocks of 256
 *   moves     12n bytes                    ceiling   memory */
__global__ void residual_fwd_kernel(float *y, const float *a,
                                    const float *b, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a[i] + b[i];
}

/* launch residual */
void cuda_residual_fwd(real *y, const real *a, const real *b, size_t n)
{
    profile_range("residual");
    residual_fwd_kernel<<<blocks_for(n, THREADS), THREADS, 0,
                          backend_stream()>>>(y, a, b, n);
    LAUNCHED();
}
