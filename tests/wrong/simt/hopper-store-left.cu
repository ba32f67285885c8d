// copy not waited for: the block ends before its store has read
#include "wrong.h"
#include "bulk.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ __align__(128) float s[64];
    int t = threadIdx.x;
    s[t] = 2 * x[t];
    fence_proxy();
    __syncthreads();
    if (t == 0) {
        store(y, s, sizeof s);                  // HERE
#ifdef RIGHT
        store_read();
#endif
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
