// out of bounds: 1024 threads, 1000 elements, no guard
#include "wrong.h"

__global__ void add(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef RIGHT
    if (i < n)
#endif
        y[i] = x[i] + 1;                        // HERE
}

int main()
{
    float *x = numbers<float>(1000), *y = zeroes<float>(1000);
    add<<<4, 256>>>(y, x, 1000);
    finish();
    cudaFree(x);
    cudaFree(y);
}
