// absent lane: some wait for the whole warp, the others for the block
#include "wrong.h"

__global__ void pass(float *y, const float *x)
{
    __shared__ float s[32];
    int l = threadIdx.x;
    if (l < 16) {
        s[l] = x[l];
#ifdef RIGHT
        __syncwarp(0x0000ffff);
#else
        __syncwarp();                               // HERE
#endif
        s[l + 16] = s[15 - l];
    }
    __syncthreads();
    y[l] = s[31 - l];
}

int main()
{
    float *x = numbers<float>(32), *y = zeroes<float>(32);
    pass<<<1, 32>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
