// race: two blocks write one word of the first
#include "wrong.h"
#include "bulk.h"
#include "cluster.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ float s[64];
    int t = threadIdx.x, b = blockIdx.x;
#ifdef RIGHT
    if (b == 0)
#endif
    store_there(&s[t], 0, x[64 * b + t]);       // HERE
    cluster_sync();
    y[64 * b + t] = load_there(&s[t], 0);
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
