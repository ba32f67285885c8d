// barrier: a named barrier for 96 threads, and only 64 ever come
#include "wrong.h"

__global__ void pass(float *y, const float *x)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t < 64) {
        s[t] = x[t];
#ifdef RIGHT
        asm volatile("bar.sync 1, 64;" ::: "memory");
#else
        asm volatile("bar.sync 1, 96;" ::: "memory");   // HERE
#endif
        y[t] = s[63 - t];
    } else {
        y[t] = x[t];
    }
    __syncthreads();
}

int main()
{
    float *x = numbers<float>(96), *y = zeroes<float>(96);
    pass<<<1, 96>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
