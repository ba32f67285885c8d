// race: the last thread of a block reads what the next block overwrites
#include "wrong.h"

__global__ void shift(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i + 1 < n ? x[i + 1] : 0;         // OTHER
    __syncthreads();
    if (i < n)
        y[i] = v;                               // HERE
}

int main()
{
    float *x = numbers<float>(512), *y = zeroes<float>(512);
#ifdef RIGHT
    shift<<<4, 128>>>(y, x, 512);
#else
    shift<<<4, 128>>>(x, x, 512);
#endif
    finish();
    cudaFree(x);
    cudaFree(y);
}
