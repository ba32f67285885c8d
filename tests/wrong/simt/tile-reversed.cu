// race: the other half of the block may not have written its part yet
#include "wrong.h"

__global__ void reverse(float *y, const float *x)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = x[t];                                // OTHER
#ifdef RIGHT
    __syncthreads();
#endif
    y[t] = s[255 - t];                          // HERE
}

int main()
{
    float *x = numbers<float>(256), *y = zeroes<float>(256);
    reverse<<<1, 256>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
