// absent lane: the mask of the first round, and a lane that left after it
#include "wrong.h"

__global__ void rounds(float *y, const float *x)
{
    int l = threadIdx.x, n = l % 4 + 1;
    float v = 0;
    unsigned mask = 0xffffffff;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
#ifdef RIGHT
        mask = 0;
        for (int i = 0; i < 32; i++)
            mask |= (unsigned)(k < i % 4 + 1) << i;
#endif
        v += __shfl_sync(mask, x[l], 28);       // HERE
    }
    y[l] = v;
}

int main()
{
    float *x = numbers<float>(32), *y = zeroes<float>(32);
    rounds<<<1, 32>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
