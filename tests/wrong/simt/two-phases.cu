// race: the second half of the kernel needs all blocks of the first
#include "wrong.h"

__global__ void phase1(float *mean, const float *x)
{
    float v = x[blockIdx.x * 32 + threadIdx.x];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    if (threadIdx.x == 0)
        mean[blockIdx.x] = v / 32;              // OTHER
}

__global__ void phase2(float *y, const float *mean, const float *x)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    y[i] = x[i] - mean[(blockIdx.x + gridDim.x - 1) % gridDim.x];
}

__global__ void both(float *y, float *mean, const float *x)
{
    float v = x[blockIdx.x * 32 + threadIdx.x];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    if (threadIdx.x == 0)
        mean[blockIdx.x] = v / 32;              // HERE OTHER
    __syncthreads();
    int i = blockIdx.x * 32 + threadIdx.x;
    y[i] = x[i] - mean[(blockIdx.x + gridDim.x - 1) % gridDim.x]; // HERE OTHER
}

int main()
{
    float *x = numbers<float>(128), *y = zeroes<float>(128);
    float *mean = zeroes<float>(4);
#ifdef RIGHT
    phase1<<<4, 32>>>(mean, x);
    phase2<<<4, 32>>>(y, mean, x);
#else
    both<<<4, 32>>>(y, mean, x);
#endif
    finish();
    cudaFree(x);
    cudaFree(y);
    cudaFree(mean);
}
