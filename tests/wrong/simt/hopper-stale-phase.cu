// copy not waited for: a wait for the phase before, which is over
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
    }
    __syncthreads();
    bar_wait(&full, 0);
    float v = s[t];
    __syncthreads();
    if (t == 0) {
        bar_expect(&full, 256);
        load(s, x + 64, 256, &full);
    }
#ifdef RIGHT
    bar_wait(&full, 1);
#else
    bar_wait(&full, 0);
#endif
    y[t] = v + s[t];                            // HERE
    bar_wait(&full, 1);
}

int main()
{
    float *x = numbers<float>(1024), *y = zeroes<float>(1024);
    kernel<<<1, 64>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
