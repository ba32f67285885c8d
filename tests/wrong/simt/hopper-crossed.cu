// barrier phase: two barriers, and each warp waits for the other
#include "wrong.h"
#include "bulk.h"

// says: lacks 32 of 32 arrivals
__global__ void kernel(float *y, const float *x)
{
    __shared__ Barrier a, b;
    int t = threadIdx.x;
    if (t == 0) {
        bar_init(&a, 32);
        bar_init(&b, 32);
    }
    __syncthreads();
    if (t < 32) {
#ifdef RIGHT
        bar_arrive(&b);
        bar_wait(&a, 0);
#else
        bar_wait(&a, 0);                        // HERE
        bar_arrive(&b);
#endif
    } else {
        bar_wait(&b, 0);
        bar_arrive(&a);
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
