// race: two buffers, but nobody waits until the other one is full
#include "wrong.h"

__global__ void smooth(float *y, const float *x, int steps)
{
    __shared__ float s[2][128];
    int t = threadIdx.x;
    s[0][t] = x[t];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        float v = s[k & 1][t ^ 32];             // HERE OTHER
        s[(k + 1) & 1][t] = 0.5f * v;           // HERE OTHER
#ifdef RIGHT
        __syncthreads();
#endif
    }
    y[t] = s[steps & 1][t];
}

int main()
{
    float *x = numbers<float>(128), *y = zeroes<float>(128);
    smooth<<<1, 128>>>(y, x, 5);
    finish();
    cudaFree(x);
    cudaFree(y);
}
