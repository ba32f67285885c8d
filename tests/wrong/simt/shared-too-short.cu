// out of bounds: the launch asks for too little dynamic shared memory
#include "wrong.h"

__global__ void reverse(float *y, const float *x)
{
    extern __shared__ float s[];
    int t = threadIdx.x;
    s[t] = x[t];                                // HERE
    __syncthreads();
    y[t] = s[blockDim.x - 1 - t];
}

int main()
{
    float *x = numbers<float>(256), *y = zeroes<float>(256);
#ifdef RIGHT
    reverse<<<1, 256, 256 * sizeof(float)>>>(y, x);
#else
    reverse<<<1, 256, 256>>>(y, x);
#endif
    finish();
    cudaFree(x);
    cudaFree(y);
}
