// race: the last six additions of a block, unrolled as before Volta
#include "wrong.h"

__global__ void sum(float *y, const float *x)
{
    __shared__ float shared[128];
    int t = threadIdx.x;
    shared[t] = x[t];
    __syncthreads();
    if (t < 64)
        shared[t] += shared[t + 64];
    __syncthreads();
    if (t < 32) {
#ifdef RIGHT
        float v = shared[t] + shared[t + 32];
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_down_sync(0xffffffff, v, d);
        if (t == 0)
            *y = v;
#else
        volatile float *s = shared;
        s[t] += s[t + 32];                      // HERE OTHER
        s[t] += s[t + 16];                      // HERE OTHER
        s[t] += s[t + 8];                       // HERE OTHER
        s[t] += s[t + 4];                       // HERE OTHER
        s[t] += s[t + 2];                       // HERE OTHER
        s[t] += s[t + 1];                       // HERE OTHER
        if (t == 0)
            *y = s[0];
#endif
    }
}

int main()
{
    float *x = numbers<float>(128), *y = zeroes<float>(1);
    sum<<<1, 128>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
