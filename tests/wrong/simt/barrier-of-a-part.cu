// race: a barrier of half a block orders nothing for the other half
#include "wrong.h"
__global__ void kernel(float *y, const float *x)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t < 64) {
        s[t] = x[t];
        asm volatile("bar.sync 1, 64;" ::: "memory");
        y[t] = s[63 - t];
    }
#ifdef RIGHT
    __syncthreads();
#endif
    if (t >= 64) {
        asm volatile("bar.sync 2, 64;" ::: "memory");
        y[t] = s[t - 64];               // HERE
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
