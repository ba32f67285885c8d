// copy not waited for: a store of what a load still brings
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
#ifdef RIGHT
        bar_wait(&full, 0);
#endif
        store(y, s, 256);                       // HERE
        store_read();
        bar_wait(&full, 0);
    }
}

int main()
{
    float *x = numbers<float>(1024), *y = zeroes<float>(1024);
    kernel<<<1, 64>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
