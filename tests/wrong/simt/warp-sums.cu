// uninitialised: adds 32 partial sums of which there are 4
#include "wrong.h"

__global__ void sum(float *y, const float *x)
{
    __shared__ float part[32];
    int t = threadIdx.x;
    float v = x[t];
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    if (t % 32 == 0)
        part[t / 32] = v;
    __syncthreads();
    if (t < 32) {
#ifdef RIGHT
        v = t < blockDim.x / 32 ? part[t] : 0;
#else
        v = part[t];                            // HERE
#endif
        for (int d = 16; d > 0; d /= 2)
            v += __shfl_xor_sync(0xffffffff, v, d);
        if (t == 0)
            *y = v;
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
