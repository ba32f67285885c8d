// absent lane: half the warp shuffles with those who wait for its flag
#include "wrong.h"

__global__ void pass(float *y, const float *x)
{
    __shared__ volatile int flag;
    int l = threadIdx.x;
    float v = x[l];
    if (l == 0)
        flag = 0;
    __syncwarp();
    if (l < 16) {
#ifdef RIGHT
        v += __shfl_xor_sync(0x0000ffff, v, 3);
#else
        v += __shfl_xor_sync(0xffffffff, v, 3);     // HERE
#endif
        __threadfence_block();
        if (l == 0)
            flag = 1;
    } else {
        while (flag == 0)
            ;
    }
    y[l] = v;
}

int main()
{
    float *x = numbers<float>(32), *y = zeroes<float>(32);
    pass<<<1, 32>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
