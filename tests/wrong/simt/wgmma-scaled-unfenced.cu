// wgmma in flight: sums that are scaled between two matmuls, as attention does
#include "wrong.h"
#include "wgmma.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ __align__(1024) Bf16 a[64 * 16], b[8 * 16];
    float d[4] = { 0, 0, 0, 0 };
    take(a, b, x);
    wgmma_fence();
    multiply(d, a, b);
    wgmma_commit();
    wgmma_wait();
    hold(d);
    for (int i = 0; i < 4; i++)
        d[i] *= x[i + 1];
#ifdef RIGHT
    wgmma_fence();
#endif
    multiply(d, a, b);                          // HERE
    wgmma_commit();
    wgmma_wait();
    hold(d);
    give(y, d);
}

int main()
{
    float *x = numbers<float>(1024), *y = zeroes<float>(1024);
    kernel<<<1, 128>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
