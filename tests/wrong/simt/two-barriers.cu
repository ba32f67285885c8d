// barrier: one warp waits in one place, the others in another
#include "wrong.h"

__global__ void producer(float *y, const float *x)
{
    __shared__ float s[32];
    int t = threadIdx.x;
#ifdef RIGHT
    if (t < 32)
        s[t] = x[t];
    __syncthreads();
    if (t >= 32)
        y[t] = s[t % 32];
#else
    if (t < 32) {
        s[t] = x[t];
        __syncthreads();                        // OTHER
        y[t] = 0;
    } else {
        __syncthreads();                        // HERE
        y[t] = s[t % 32];
    }
#endif
}

int main()
{
    float *x = numbers<float>(32), *y = zeroes<float>(96);
    producer<<<1, 96>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
