// race: the lower half of the warp waits for itself, not for the upper
#include "wrong.h"

__global__ void fold(float *y, const float *x)
{
    __shared__ float s[32];
    int l = threadIdx.x;
    s[l] = x[l];                                // OTHER
#ifdef RIGHT
    __syncwarp();
#endif
    if (l < 16) {
        __syncwarp(0x0000ffff);
        y[l] = s[l] + s[31 - l];                // HERE
    }
}

int main()
{
    float *x = numbers<float>(32), *y = zeroes<float>(32);
    fold<<<1, 32>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
