// race: the next tile is loaded while slower warps still read this one
// says: No barrier lies between the two
#include "wrong.h"

__global__ void column_sums(float *y, const float *x, int rows)
{
    __shared__ float tile[128];
    int t = threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int r = 0; r < rows; r++) {
        tile[t] = x[r * 128 + t];               // HERE
        __syncthreads();
        sum += tile[127 - t];                   // OTHER
#ifdef RIGHT
        __syncthreads();
#endif
    }
    y[t] = sum;
}

int main()
{
    float *x = numbers<float>(4 * 128), *y = zeroes<float>(128);
    column_sums<<<1, 128>>>(y, x, 4);
    finish();
    cudaFree(x);
    cudaFree(y);
}
