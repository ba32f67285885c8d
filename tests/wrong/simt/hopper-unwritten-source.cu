// uninitialised: a bulk store of what nobody has written
#include "wrong.h"
#include "bulk.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ __align__(128) float s[64];
    int t = threadIdx.x;
#ifdef RIGHT
    s[t] = x[t];
#else
    if (t < 32)
        s[t] = x[t];
#endif
    fence_proxy();
    __syncthreads();
    if (t == 0) {
        store(y, s, 256);                       // HERE
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
