// race: the next copy lands in a buffer that other warps still read
#include "wrong.h"
#include "async.h"

__global__ void sum(float *y, const float *x, int tiles)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    float total = 0;
#pragma unroll 1
    for (int k = 0; k < tiles; k++) {
        copy_async(&s[t], &x[k * 64 + t]);      // HERE
        COMMIT();
        WAIT(0);
        __syncthreads();
        total += s[63 - t];                     // OTHER
#ifdef RIGHT
        __syncthreads();
#endif
    }
    y[t] = total;
}

int main()
{
    float *x = numbers<float>(256), *y = zeroes<float>(64);
    sum<<<1, 64>>>(y, x, 4);
    finish();
    cudaFree(x);
    cudaFree(y);
}
