// out of bounds: row and column are swapped, which squares forgive
#include "wrong.h"

__global__ void transpose(float *y, const float *x, int rows, int columns)
{
    int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
#ifdef RIGHT
    if (r < rows && c < columns)
#else
    if (r < columns && c < rows)
#endif
        y[c * rows + r] = x[r * columns + c];   // HERE
}

int main()
{
    float *x = numbers<float>(48 * 32), *y = zeroes<float>(48 * 32);
    transpose<<<dim3(3, 3), dim3(16, 16)>>>(y, x, 48, 32);
    finish();
    cudaFree(x);
    cudaFree(y);
}
