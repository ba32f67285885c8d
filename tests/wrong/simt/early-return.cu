// nothing: threads that have returned are not waited for
#include "wrong.h"

__global__ void reverse(float *y, const float *x, int n)
{
    __shared__ float s[128];
    int t = threadIdx.x;
    if (t >= n)
        return;
    s[t] = x[t];
    __syncthreads();
    y[t] = s[n - 1 - t];
}

int main()
{
    float *x = numbers<float>(128), *y = zeroes<float>(128);
    reverse<<<1, 128>>>(y, x, 50);
    finish();
    cudaFree(x);
    cudaFree(y);
}
