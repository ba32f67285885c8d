// absent lane: a shuffle takes from a lane that has returned
#include "wrong.h"

__global__ void next(float *y, const float *x, int n)
{
    int l = threadIdx.x;
#ifdef RIGHT
    float u = __shfl_down_sync(0xffffffff, x[l], 1);
    if (l < n)
        y[l] = u;
#else
    if (l >= n)
        return;
    y[l] = __shfl_down_sync(0xffffffff, x[l], 1);   // HERE
#endif
}

int main()
{
    float *x = numbers<float>(32), *y = zeroes<float>(32);
    next<<<1, 32>>>(y, x, 20);
    finish();
    cudaFree(x);
    cudaFree(y);
}
