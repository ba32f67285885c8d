// uninitialised: a thread's own array, read where it was not written
#include "wrong.h"

__global__ void pick(float *y, const float *x, const int *index, int n)
{
    float mine[8];
#ifdef RIGHT
    for (int k = 0; k < 8; k++)
        mine[k] = 0;
#endif
#pragma unroll 1
    for (int k = 0; k < n; k++)
        mine[index[k]] = x[k];
    y[threadIdx.x] = mine[index[threadIdx.x]];  // HERE
}

int main()
{
    float *x = numbers<float>(8), *y = zeroes<float>(8);
    int *index = numbers<int>(8);
    pick<<<1, 8>>>(y, x, index, 7);
    finish();
    cudaFree(x);
    cudaFree(y);
    cudaFree(index);
}
