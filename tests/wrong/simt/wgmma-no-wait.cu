// wgmma in flight: a sum that is used before it was waited for
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
#ifdef RIGHT
    wgmma_wait();
#endif
    hold(d);
    d[0] *= 2;                                  // HERE
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
