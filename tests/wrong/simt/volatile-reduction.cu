// race: the last warp of a reduction as it was written before Volta
#include "wrong.h"

#ifdef RIGHT
#define SYNC() __syncwarp()
#else
#define SYNC()
#endif

__global__ void sum(float *y, const float *x)
{
    __shared__ volatile float s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    s[t + 32] = x[t + 32];
    SYNC();
#pragma unroll 1
    for (int d = 32; d > 0; d /= 2) {
        float v = s[t] + (t < d ? s[t + d] : 0);            // HERE
        SYNC();
        s[t] = v;                                           // OTHER
        SYNC();
    }
    if (t == 0)
        *y = s[0];
}

int main()
{
    float *x = numbers<float>(64), *y = zeroes<float>(1);
    sum<<<1, 32>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
