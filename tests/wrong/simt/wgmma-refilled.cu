// wgmma in flight: a buffer that is refilled after a barrier, but before the wait
#include "wrong.h"
#include "wgmma.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ __align__(1024) Bf16 a[64 * 16], b[8 * 16];
    float d[4] = { 0, 0, 0, 0 };
    take(a, b, x);
    wgmma_fence();
    multiply(d, a, b);                          // HERE
    wgmma_commit();
#ifdef RIGHT
    wgmma_wait();
#endif
    __syncthreads();
    b[threadIdx.x] = 0x4000;
    fence_proxy();
    __syncthreads();
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
