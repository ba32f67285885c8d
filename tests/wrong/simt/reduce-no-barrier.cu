// race: the tree of a reduction without the barrier in its loop
#include "wrong.h"

__global__ void sum(float *y, const float *x)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
#pragma unroll 1
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];                   // HERE OTHER
#ifdef RIGHT
        __syncthreads();
#endif
    }
    if (t == 0)
        *y = s[0];
}

int main()
{
    float *x = numbers<float>(256), *y = zeroes<float>(1);
    sum<<<1, 256>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
