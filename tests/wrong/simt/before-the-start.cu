// out of bounds: the first thread has no left neighbour
#include "wrong.h"

__global__ void difference(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef RIGHT
    if (i < n)
        y[i] = i > 0 ? x[i] - x[i - 1] : 0;
#else
    if (i < n)
        y[i] = x[i] - x[i - 1];                 // HERE
#endif
}

int main()
{
    float *y = zeroes<float>(256), *x = numbers<float>(256);
    difference<<<1, 256>>>(y, x, 256);
    finish();
    cudaFree(x);
    cudaFree(y);
}
