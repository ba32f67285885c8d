// race: each half synchronises with itself, and reads from the other
#include "wrong.h"

__global__ void swap(float *y, const float *x)
{
    __shared__ float s[32];
    int l = threadIdx.x;
    s[l] = x[l];                                // OTHER
#ifdef RIGHT
    __syncwarp();
#else
    __syncwarp(l < 16 ? 0x0000ffff : 0xffff0000);
#endif
    y[l] = s[l ^ 16];                           // HERE
}

int main()
{
    float *x = numbers<float>(32), *y = zeroes<float>(32);
    swap<<<1, 32>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
