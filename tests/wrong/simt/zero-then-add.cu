// race: thread 0 sets the total to zero while others already add to it
#include "wrong.h"

__global__ void total(int *y, const int *x)
{
    __shared__ int sum;
    int t = threadIdx.x;
    if (t == 0)
        sum = 0;                                // OTHER
#ifdef RIGHT
    __syncthreads();
#endif
    if (t % 32 == 0)
        atomicAdd(&sum, x[t]);                  // HERE
    __syncthreads();
    if (t == 0)
        *y = sum;
}

int main()
{
    int *x = numbers<int>(128), *y = zeroes<int>(1);
    total<<<1, 128>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
