// barrier phase: a barrier for no arrivals at all
#include "wrong.h"
#include "bulk.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ __align__(128) float s[64];
    __shared__ Barrier full;
    int t = threadIdx.x;
    if (t == 0) {
#ifdef RIGHT
        bar_init(&full, 1);
#else
        bar_init(&full, 0);                     // HERE
#endif
        bar_ready();
        s[0] = 1;
    }
    __syncthreads();
    y[t] = x[t];
}

int main()
{
    float *x = numbers<float>(1024), *y = zeroes<float>(1024);
    kernel<<<1, 64>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
