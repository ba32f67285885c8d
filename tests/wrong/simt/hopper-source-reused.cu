// copy not waited for: the source of a store is overwritten
#include "wrong.h"
#include "bulk.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ __align__(128) float s[64];
    int t = threadIdx.x;
    for (int k = 0; k < 2; k++) {
        s[t] = 2 * x[64 * k + t];               // HERE
        fence_proxy();
        __syncthreads();
        if (t == 0) {
            store(y + 64 * k, s, sizeof s);
#ifdef RIGHT
            store_read();
#endif
        }
        __syncthreads();
    }
    if (t == 0)
        store_read();
}

int main()
{
    float *x = numbers<float>(1024), *y = zeroes<float>(1024);
    kernel<<<1, 64>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
