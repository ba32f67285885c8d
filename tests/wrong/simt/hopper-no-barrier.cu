// race: a fence does not replace the barrier before a bulk store
#include "wrong.h"
#include "bulk.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ __align__(128) float s[64];
    int t = threadIdx.x;
    s[t] = 2 * x[t];
    fence_proxy();
#ifdef RIGHT
    __syncthreads();
#endif
    if (t == 63) {
        store(y, s, sizeof s);                  // HERE
        store_read();
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
