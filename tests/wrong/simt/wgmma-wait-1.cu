// wgmma in flight: the wait leaves one group, and this is the one
#include "wrong.h"
#include "wgmma.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ __align__(1024) Bf16 a[64 * 16], b[8 * 16];
    float d[4] = { 0, 0, 0, 0 };
    float e[4] = { 0, 0, 0, 0 };
    take(a, b, x);
    wgmma_fence();
    multiply(e, a, b);
    wgmma_commit();
    multiply(d, a, b);
    wgmma_commit();
#ifdef RIGHT
    wgmma_wait();
#else
    wgmma_wait_1();
#endif
    hold(d);
    d[0] += 1;                                  // HERE
    wgmma_wait();
    hold(d);
    hold(e);
    d[1] += e[1];
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
