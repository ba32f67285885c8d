// race: operands that other warps may still be writing
#include "wrong.h"
#include "wgmma.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ __align__(1024) Bf16 a[64 * 16], b[8 * 16];
    float d[4] = { 0, 0, 0, 0 };
    for (int i = threadIdx.x; i < 64 * 16; i += 128)
        a[i] = 0x3f80;
    b[threadIdx.x] = 0x3f80;
    fence_proxy();
#ifdef RIGHT
    __syncthreads();
#endif
    d[0] = x[0];
    wgmma_fence();
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
