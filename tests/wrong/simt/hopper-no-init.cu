// barrier phase: a barrier that was never initialised
#include "wrong.h"
#include "bulk.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ Barrier done;
    int t = threadIdx.x;
#ifdef RIGHT
    if (t == 0)
        bar_init(&done, 32);
    __syncthreads();
#else
    if (t == 0)
        done = 0;
    __syncthreads();
#endif
    if (t < 32)
        bar_arrive(&done);                      // HERE
    else
        bar_wait(&done, 0);
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
