// race: a warp arrives at a barrier of atomics before its lanes have written
#include "wrong.h"

__global__ void mix(float *y, const float *x)
{
    __shared__ float s[96];
    __shared__ int count;
    int t = threadIdx.x;
    if (t == 0)
        count = 0;
    __syncthreads();
    s[t] = x[t];                                // OTHER
#ifdef RIGHT
    __syncwarp();
#endif
    if (t % 32 == 0) {
        __threadfence_block();
        atomicAdd(&count, 1);
        while (atomicAdd(&count, 0) < 3)
            ;
        __threadfence_block();
    }
    __syncwarp();
    y[t] = s[(t + 40) % 96];                    // HERE
}

int main()
{
    float *x = numbers<float>(96), *y = zeroes<float>(96);
    mix<<<1, 96>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
