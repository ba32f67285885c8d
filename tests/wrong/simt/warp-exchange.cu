// race: a warp passes values through shared memory, trusting in step
// says: put __syncwarp() between the two
#include "wrong.h"

__global__ void exchange(float *y, const float *x)
{
    __shared__ float s[4][32];
    int w = threadIdx.x / 32, l = threadIdx.x % 32;
    s[w][l] = x[threadIdx.x];                   // OTHER
#ifdef RIGHT
    __syncwarp();
#endif
    y[threadIdx.x] = s[w][l ^ 1];               // HERE
}

int main()
{
    float *x = numbers<float>(128), *y = zeroes<float>(128);
    exchange<<<1, 128>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
