// race: a block has arrived at the cluster's barrier, and reads without waiting
#include "wrong.h"
#include "bulk.h"
#include "cluster.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ float s[64];
    int t = threadIdx.x, b = blockIdx.x;
    s[t] = x[64 * b + t];
    cluster_arrive();
#ifdef RIGHT
    cluster_wait();
#endif
    float v = load_there(&s[t], 1 - b);         // HERE
#ifndef RIGHT
    cluster_wait();
#endif
    y[64 * b + t] = v;
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
