// barrier: a barrier for threads that have work, 20 of the 64
#include "wrong.h"

__global__ void reverse(float *y, const float *x, int n)
{
    __shared__ float s[64];
    int t = threadIdx.x;
#ifdef RIGHT
    if (t < n)
        s[t] = x[t];
    __syncthreads();
    if (t < n)
        y[t] = s[n - 1 - t];
    __syncthreads();
#else
    if (t < n) {
        s[t] = x[t];
        __syncthreads();                        // HERE
        y[t] = s[n - 1 - t];
    }
    __syncthreads();            // the others wait here
#endif
    if (t >= n)
        y[t] = s[0];
}

int main()
{
    float *x = numbers<float>(64), *y = zeroes<float>(64);
    reverse<<<1, 64>>>(y, x, 20);
    finish();
    cudaFree(x);
    cudaFree(y);
}
