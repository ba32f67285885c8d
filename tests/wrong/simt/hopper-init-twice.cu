// barrier phase: a barrier is initialised twice
#include "wrong.h"
#include "bulk.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ Barrier done;
    int t = threadIdx.x;
    for (int k = 0; k < 2; k++) {
        if (t == 0)
            bar_init(&done, 32);                // HERE
        __syncthreads();
        if (t < 32)
            bar_arrive(&done);
        else
            bar_wait(&done, 0);
        __syncthreads();
#ifdef RIGHT
        if (t == 0)
            bar_inval(&done);
        __syncthreads();
#endif
    }
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
