// race: one sum, one thread of each block, no atomic
#include "wrong.h"

__global__ void sum(float *y, const float *x)
{
    float v = x[blockIdx.x * blockDim.x + threadIdx.x];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    if (threadIdx.x == 0) {
#ifdef RIGHT
        atomicAdd(y, v);
#else
        *y += v;                                // HERE OTHER
#endif
    }
}

int main()
{
    float *x = numbers<float>(128), *y = zeroes<float>(1);
    sum<<<4, 32>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
