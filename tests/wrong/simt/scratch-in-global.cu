// race: a block passes values through global memory with no barrier
#include "wrong.h"

__global__ void reverse(float *y, float *scratch, const float *x)
{
    int t = threadIdx.x;
    scratch[t] = x[t];                          // OTHER
#ifdef RIGHT
    __syncthreads();
#endif
    y[t] = scratch[127 - t];                    // HERE
}

int main()
{
    float *x = numbers<float>(128), *y = zeroes<float>(128);
    float *scratch = zeroes<float>(128);
    reverse<<<1, 128>>>(y, scratch, x);
    finish();
    cudaFree(x);
    cudaFree(y);
    cudaFree(scratch);
}
