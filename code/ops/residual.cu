/* Chapter 15b, The operators on the GPU, first versions: 15b.2 A thread for each element */
/* Tangled from chapters/15b-operators-on-the-gpu.nw by `make tangle`; edit it there. */

#include "ops/gpu.h"
#include "ops/residual.h"

/* residual: a thread per element (15b.2) */
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

/* launch residual (15b.2) */
void residual_fwd(real *y, const real *a, const real *b, size_t n)
{
    machine_mark("residual");
    residual_fwd_kernel<<<blocks_for(n, THREADS), THREADS, 0,
                          machine_stream>>>(y, a, b, n);
    LAUNCHED();
}
