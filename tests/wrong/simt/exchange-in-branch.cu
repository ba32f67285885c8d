// race: lanes in a branch exchange through shared memory without __syncwarp
#include "wrong.h"

__global__ void reverse(float *y, const float *x)
{
    __shared__ float s[32];
    int l = threadIdx.x;
    if (l < 16) {
        s[l] = x[l];                            // OTHER
#ifdef RIGHT
        __syncwarp(0x0000ffff);
#endif
        y[l] = s[15 - l];                       // HERE
    } else {
        y[l + 16] = 2 * x[l];
    }
}

int main()
{
    float *x = numbers<float>(32), *y = zeroes<float>(48);
    reverse<<<1, 32>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
