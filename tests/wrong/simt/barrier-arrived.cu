// race: a buffer is written again after an arrival, which waits for nobody
#include "wrong.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t < 64) {
        s[t] = x[t];
        asm volatile("bar.arrive 1, 128;" ::: "memory");
#ifndef RIGHT
        s[t] = x[64 + t];
#endif
    } else {
        asm volatile("bar.sync 1, 128;" ::: "memory");
        y[t] = s[127 - t];                      // HERE
    }
}

int main()
{
    float *x = numbers<float>(1024), *y = zeroes<float>(1024);
    kernel<<<1, 128>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
