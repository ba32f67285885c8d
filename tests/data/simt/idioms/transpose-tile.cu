// A transpose through a padded tile in shared memory, with sizes that no
// tile divides; and one of 32 numbers by 32 within a warp.
// Harris, An Efficient Matrix Transpose in CUDA (NVIDIA blog); cuda-samples,
// transpose.
#include "idiom.h"

__global__ void transpose(int *y, const int *x, int rows, int columns)
{
    __shared__ int tile[32][33];
    int c = blockIdx.x * 32 + threadIdx.x, r0 = blockIdx.y * 32;
    for (int k = threadIdx.y; k < 32; k += 8)
        if (c < columns && r0 + k < rows)
            tile[k][threadIdx.x] = x[(r0 + k) * columns + c];
    __syncthreads();
    int r = r0 + threadIdx.x, c0 = blockIdx.x * 32;
    for (int k = threadIdx.y; k < 32; k += 8)
        if (r < rows && c0 + k < columns)
            y[(c0 + k) * rows + r] = tile[threadIdx.x][k];
}

__global__ void transpose_warp(int *y, const int *x)
{
    __shared__ int tile[2][32][33];
    int warp = threadIdx.x / 32, l = threadIdx.x % 32;
    x += warp * 1024;
    y += warp * 1024;
    for (int k = 0; k < 32; k++)
        tile[warp][k][l] = x[k * 32 + l];
    __syncwarp();
    for (int k = 0; k < 32; k++)
        y[k * 32 + l] = tile[warp][l][k];
}

int main(void)
{
    const int sizes[][2] = { { 32, 32 }, { 33, 57 }, { 1, 70 }, { 100, 65 } };
    static int x[100 * 65], got[100 * 65];
    for (int i = 0; i < 100 * 65; i++)
        x[i] = (int)noise(i);
    int *dx = device(x, 100 * 65), *y = zeroes<int>(100 * 65);
    for (int s = 0; s < 4; s++) {
        int r = sizes[s][0], c = sizes[s][1];
        transpose<<<dim3((c + 31) / 32, (r + 31) / 32), dim3(32, 8)>>>(
            y, dx, r, c);
        fetch(got, y, r * c);
        for (int i = 0; i < r * c; i++)
            same("element", i, got[i], x[i % r * c + i / r]);
    }
    transpose_warp<<<1, 64>>>(y, dx);
    fetch(got, y, 2048);
    for (int i = 0; i < 2048; i++)
        same("of a warp", i, got[i],
             x[i / 1024 * 1024 + i % 32 * 32 + i % 1024 / 32]);
    return done();
}
