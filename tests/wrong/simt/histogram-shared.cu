// race: count[x]++ is a load and a store; updates are lost between them
#include "wrong.h"

__global__ void histogram(int *y, const int *x)
{
    __shared__ int count[16];
    int t = threadIdx.x;
    if (t < 16)
        count[t] = 0;
    __syncthreads();
#ifdef RIGHT
    atomicAdd(&count[x[t] % 16], 1);
#else
    count[x[t] % 16]++;                         // HERE OTHER
#endif
    __syncthreads();
    if (t < 16)
        y[t] = count[t];
}

int main()
{
    int *x = numbers<int>(128), *y = zeroes<int>(16);
    histogram<<<1, 128>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
