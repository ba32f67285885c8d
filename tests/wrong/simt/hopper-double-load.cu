// copy not waited for: two copies to one buffer at the same time
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
        bar_expect(&full, 512);
        load(s, x, 256, &full);
#ifdef RIGHT
        load(s + 64, x + 64, 256, &full);
#else
        load(s, x + 64, 256, &full);            // HERE
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
