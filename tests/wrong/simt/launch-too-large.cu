// launch: 2048 threads to a block, and nobody looks at the error
#include "wrong.h"

__global__ void fill(float *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

int main()
{
    float *x = zeroes<float>(2048);
#ifdef RIGHT
    fill<<<2, 1024>>>(x);
#else
    fill<<<1, 2048>>>(x);
#endif
    finish();
    cudaFree(x);
}
