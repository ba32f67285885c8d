// race: all threads write, and only one of them fences, before the barrier
#include "wrong.h"

__global__ void sum(float *y, float *part, int *done, const float *x)
{
    __shared__ bool last;
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    part[i] = 2 * x[i];                         // OTHER
#ifdef RIGHT
    __threadfence();
#else
    if (t == 0)
        __threadfence();
#endif
    __syncthreads();
    if (t == 0)
        last = atomicAdd(done, 1) == (int)gridDim.x - 1;
    __syncthreads();
    if (last) {
        float all = 0;
        __threadfence();
        for (int b = 0; b < (int)gridDim.x; b++)
            all += part[b * 64 + t];            // HERE
        y[t] = all;
    }
}

int main()
{
    float *x = numbers<float>(256), *y = zeroes<float>(64);
    float *part = zeroes<float>(256);
    int *done = zeroes<int>(1);
    sum<<<4, 64>>>(y, part, done, x);
    finish();
    cudaFree(x);
    cudaFree(y);
    cudaFree(part);
    cudaFree(done);
}
