// barrier: a loop with a barrier, whose end depends on the thread
#include "wrong.h"

__global__ void sum(float *y, const float *x, int n)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    float total = 0;
#ifdef RIGHT
#pragma unroll 1
    for (int i = 0; i < n; i += 64) {
        s[t] = i + t < n ? x[i + t] : 0;
#else
#pragma unroll 1
    for (int i = t; i < n; i += 64) {
        s[t] = x[i];
#endif
        __syncthreads();                        // HERE
        total += s[63 - t];
        __syncthreads();                        // HERE
    }
    s[t] = total;
    __syncthreads();
    y[t] = total + s[63 - t];
}

int main()
{
    float *x = numbers<float>(100), *y = zeroes<float>(64);
    sum<<<1, 64>>>(y, x, 100);
    finish();
    cudaFree(x);
    cudaFree(y);
}
