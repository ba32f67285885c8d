// barrier: half of a warp waits at the barrier, half at the next one
#include "wrong.h"

__global__ void pass(float *y, const float *x)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = x[t];
#ifdef RIGHT
    __syncthreads();
    float v = s[63 - t];
    __syncthreads();
    if (t % 2)
        s[t] = v;
#else
    if (t % 2) {
        __syncthreads();                            // HERE
        float v = s[63 - t];
        s[t] = v;
    }
#endif
    __syncthreads();                                // HERE
    y[t] = s[t];
}

int main()
{
    float *x = numbers<float>(64), *y = zeroes<float>(64);
    pass<<<1, 64>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
