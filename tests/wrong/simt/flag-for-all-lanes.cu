// race: one lane raises the flag before the other lanes have written
#include "wrong.h"

__global__ void pass(float *y, const float *x)
{
    __shared__ float s[32];
    __shared__ volatile int flag;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (warp == 0) {
        s[lane] = x[lane];                      // OTHER
#ifdef RIGHT
        __syncwarp();
#endif
        if (lane == 0) {
            __threadfence_block();
            flag = 1;
        }
    } else {
        while (flag == 0)
            ;
        __threadfence_block();
        y[lane] = s[31 - lane];                 // HERE
    }
}

int main()
{
    float *x = numbers<float>(32), *y = zeroes<float>(32);
    pass<<<1, 64>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
