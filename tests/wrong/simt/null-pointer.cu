// out of bounds: an optional output that is not optional
#include "wrong.h"

__global__ void mean(float *y, float *rstd, const float *x)
{
    y[threadIdx.x] = x[threadIdx.x] / 32;
#ifdef RIGHT
    if (rstd)
#endif
        rstd[threadIdx.x] = 1;                  // HERE
}

int main()
{
    float *x = numbers<float>(32), *y = zeroes<float>(32);
    mean<<<1, 32>>>(y, NULL, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
