// race: the second array starts at byte 128, which is in the first
#include "wrong.h"

__global__ void two_arrays(float *y, const float *x)
{
    extern __shared__ char memory[];
    float *a = (float *)memory;
#ifdef RIGHT
    float *b = (float *)(memory + 128 * sizeof(float));
#else
    float *b = (float *)(memory + 128);
#endif
    int t = threadIdx.x;
    a[t] = x[t];                                // HERE OTHER
    b[t] = -x[t];                               // HERE OTHER
    __syncthreads();
    y[t] = a[127 - t] + b[127 - t];
}

int main()
{
    float *x = numbers<float>(128), *y = zeroes<float>(128);
    two_arrays<<<1, 128, 1024>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
