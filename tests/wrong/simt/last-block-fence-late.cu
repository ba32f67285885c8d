// race: the ticket is taken first, and the fence comes after it
#include "wrong.h"

__global__ void sum(float *y, float *part, int *done, const float *x)
{
    float v = x[blockIdx.x * 32 + threadIdx.x];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    if (threadIdx.x != 0)
        return;
    part[blockIdx.x] = v;                       // OTHER
#ifdef RIGHT
    __threadfence();
#endif
    int ticket = atomicAdd(done, 1);
    __threadfence();
    if (ticket == (int)gridDim.x - 1) {
        float all = 0;
        for (int b = 0; b < (int)gridDim.x; b++)
            all += part[b];                     // HERE
        *y = all;
    }
}

int main()
{
    float *x = numbers<float>(128), *y = zeroes<float>(1);
    float *part = zeroes<float>(4);
    int *done = zeroes<int>(1);
    sum<<<4, 32>>>(y, part, done, x);
    finish();
    cudaFree(x);
    cudaFree(y);
    cudaFree(part);
    cudaFree(done);
}
