// missing proxy fence: stores that a bulk store then reads
#include "wrong.h"
#include "bulk.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ __align__(128) float s[64];
    int t = threadIdx.x;
    s[t] = 2 * x[t];
#ifdef RIGHT
    fence_proxy();
#endif
    __syncthreads();
    if (t == 0) {
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
