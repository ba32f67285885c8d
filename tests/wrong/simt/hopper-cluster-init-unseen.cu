// race: a block arrives at the other's barrier before its init is known
#include "wrong.h"
#include "bulk.h"
#include "cluster.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ Barrier bar;
    int t = threadIdx.x, b = blockIdx.x;
    if (t == 0) {
        bar_init(&bar, 64);
        bar_ready();
    }
#ifdef RIGHT
    cluster_sync();
#else
    __syncthreads();
#endif
    if (b == 1)
        arrive_there(&bar, 0);                  // HERE
    else
        bar_wait(&bar, 0);
    y[64 * b + t] = x[t];
    cluster_sync();
}

int main()
{
    float *x = numbers<float>(1024), *y = zeroes<float>(1024);
    two_blocks(kernel, y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
