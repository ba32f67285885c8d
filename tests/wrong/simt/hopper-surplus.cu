// barrier phase: the thread that announces the bytes arrives again
// says: needs no more arrivals
#include "wrong.h"
#include "bulk.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ __align__(128) float s[64];
    __shared__ Barrier full;
    int t = threadIdx.x;
    if (t == 0) {
        bar_init(&full, 1);
        bar_ready();
        bar_expect(&full, 256);
        load(s, x, 256, &full);
#ifndef RIGHT
        bar_arrive(&full);                      // HERE
#endif
    }
    __syncthreads();
    bar_wait(&full, 0);
    y[t] = s[t];
}

int main()
{
    float *x = numbers<float>(1024), *y = zeroes<float>(1024);
    kernel<<<1, 64>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
