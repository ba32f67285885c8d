// race: the total is read before every warp has added its part
#include "wrong.h"

__global__ void share(float *y, const int *x)
{
    __shared__ int sum;
    int t = threadIdx.x;
    if (t == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, x[t]);                      // OTHER
#ifdef RIGHT
    __syncthreads();
#endif
    y[t] = (float)x[t] / (float)sum;            // HERE
}

int main()
{
    int *x = numbers<int>(128);
    float *y = zeroes<float>(128);
    share<<<1, 128>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
