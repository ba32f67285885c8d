// race: a tile of 32 x 32 by 8 warps, and only each warp synchronises
#include "wrong.h"

__global__ void transpose(float *y, const float *x)
{
    __shared__ float tile[32][33];
    for (int r = threadIdx.y; r < 32; r += 8)
        tile[r][threadIdx.x] = x[r * 32 + threadIdx.x];     // OTHER
#ifdef RIGHT
    __syncthreads();
#else
    __syncwarp();
#endif
    for (int r = threadIdx.y; r < 32; r += 8)
        y[r * 32 + threadIdx.x] = tile[threadIdx.x][r];     // HERE
}

int main()
{
    float *x = numbers<float>(1024), *y = zeroes<float>(1024);
    transpose<<<1, dim3(32, 8)>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
