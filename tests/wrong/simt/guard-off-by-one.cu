// out of bounds: the guard lets thread n through
#include "wrong.h"

__global__ void scale(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef RIGHT
    if (i < n)
#else
    if (i <= n)
#endif
        x[i] = 2 * x[i];                        // HERE
}

int main()
{
    float *x = numbers<float>(1000);
    scale<<<4, 256>>>(x, 1000);
    finish();
    cudaFree(x);
}
