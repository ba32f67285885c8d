// race: a scan in two buffers whose roles are swapped, and no barrier after
#include "wrong.h"

__global__ void scan(float *y, const float *x)
{
    __shared__ float s[2][64];
    int t = threadIdx.x, from = 0;
    s[0][t] = x[t];
    __syncthreads();
#pragma unroll 1
    for (int d = 1; d < 64; d *= 2) {
        float v = t >= d ? s[from][t - d] : 0;      // HERE OTHER
        s[1 - from][t] = s[from][t] + v;            // HERE OTHER
#ifdef RIGHT
        __syncthreads();
#else
        if (d < 16)                 /* too few of them */
            __syncthreads();
#endif
        from = 1 - from;
    }
    y[t] = s[from][t];
}

int main()
{
    float *x = numbers<float>(64), *y = zeroes<float>(64);
    scan<<<1, 64>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
