// barrier phase: one arrival fewer than init was told
#include "wrong.h"
#include "bulk.h"

// says: lacks 1 of 33 arrivals
__global__ void kernel(float *y, const float *x)
{
    __shared__ Barrier done;
    __shared__ float s;
    int t = threadIdx.x;
    if (t == 0) {
#ifdef RIGHT
        bar_init(&done, 32);
#else
        bar_init(&done, 33);
#endif
        s = x[7];
    }
    __syncthreads();
    if (t < 32)
        bar_arrive(&done);
    else
        bar_wait(&done, 0);                     // HERE
    y[t] = s;
}

int main()
{
    float *x = numbers<float>(1024), *y = zeroes<float>(1024);
    kernel<<<1, 64>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
