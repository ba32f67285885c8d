// barrier phase: more bytes announced than the copies bring
#include "wrong.h"
#include "bulk.h"

// says: has 256 bytes announced that no copy brings
__global__ void kernel(float *y, const float *x)
{
    __shared__ __align__(128) float s[128];
    __shared__ Barrier full;
    int t = threadIdx.x;
    if (t == 0) {
        bar_init(&full, 1);
        bar_ready();
#ifdef RIGHT
        bar_expect(&full, 256);
#else
        bar_expect(&full, 512);
#endif
        load(s, x, 256, &full);
    }
    __syncthreads();
    bar_wait(&full, 0);                         // HERE
    y[t] = s[t & 63];
}

int main()
{
    float *x = numbers<float>(1024), *y = zeroes<float>(1024);
    kernel<<<1, 64>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
