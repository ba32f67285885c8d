// launch: 64 KiB of dynamic shared memory without asking first
#include "wrong.h"

__global__ void fill(float *x)
{
    extern __shared__ float s[];
    s[threadIdx.x] = 1;
    x[threadIdx.x] = s[threadIdx.x];
}

int main()
{
    float *x = zeroes<float>(32);
#ifdef RIGHT
    cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         65536);
#endif
    fill<<<1, 32, 65536>>>(x);
    finish();
    cudaFree(x);
}
