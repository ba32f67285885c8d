// race: reads its neighbour's sum and overwrites its own between one barrier
#include "wrong.h"

__global__ void scan(int *y, const int *x)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
#pragma unroll 1
    for (int d = 1; d < 128; d *= 2) {
        int v = t >= d ? s[t - d] : 0;          // OTHER
#ifdef RIGHT
        __syncthreads();
#endif
        s[t] += v;                              // HERE
        __syncthreads();
    }
    y[t] = s[t];
}

int main()
{
    int *x = numbers<int>(128), *y = zeroes<int>(128);
    scan<<<1, 128>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
