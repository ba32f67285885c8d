// barrier phase: two copies, and the bytes of one announced
#include "wrong.h"
#include "bulk.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ __align__(128) float s[128];
    __shared__ Barrier full;
    int t = threadIdx.x;
    if (t == 0) {
        bar_init(&full, 1);
        bar_ready();
#ifdef RIGHT
        bar_expect(&full, 512);
#else
        bar_expect(&full, 256);
#endif
        load(s, x, 256, &full);
        load(s + 64, x + 64, 256, &full);       // HERE
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
