// uninitialised: the tile's edge is read though no thread filled it
#include "wrong.h"

__global__ void row_sums(float *y, const float *x, int rows, int columns)
{
    __shared__ float tile[8][33];
    int r = threadIdx.y, c = threadIdx.x;
    if (c < columns)
        tile[r][c] = x[r * columns + c];
    __syncthreads();
    if (c == 0 && r < rows) {
        float sum = 0;
#ifdef RIGHT
        for (int k = 0; k < columns; k++)
#else
        for (int k = 0; k < 32; k++)
#endif
            sum += tile[r][k];                  // HERE
        y[r] = sum;
    }
}

int main()
{
    float *x = numbers<float>(8 * 30), *y = zeroes<float>(8);
    row_sums<<<1, dim3(32, 8)>>>(y, x, 8, 30);
    finish();
    cudaFree(x);
    cudaFree(y);
}
