// race: the other block's memory is read before it is written
#include "wrong.h"
#include "bulk.h"
#include "cluster.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ float s[64];
    int t = threadIdx.x, b = blockIdx.x;
    s[t] = x[64 * b + t];
#ifdef RIGHT
    cluster_sync();
#else
    __syncthreads();
#endif
    y[64 * b + t] = load_there(&s[t], 1 - b);   // HERE
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
