// A matrix product by tiles in shared memory, two barriers a tile, with
// sizes that no tile divides.
// CUDA C++ Programming Guide, Shared Memory, matrix multiplication;
// Programming Massively Parallel Processors, tiled matrix multiplication.
#include "idiom.h"

template <int TILE>
__global__ void product(int *c, const int *a, const int *b, int m, int n,
                        int k)
{
    __shared__ int s[TILE][TILE], z[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, sum = 0;
    int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    for (int k0 = 0; k0 < k; k0 += TILE) {
        s[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0;
        z[ty][tx] = column < n && k0 + ty < k ? b[(k0 + ty) * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += s[ty][i] * z[i][tx];
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}

int main(void)
{
    enum { M = 33, N = 57, K = 41 };
    static int a[M * K], b[K * N], c[M * N], want[M * N];
    for (int i = 0; i < M * K; i++)
        a[i] = (int)(noise(i) % 20) - 9;
    for (int i = 0; i < K * N; i++)
        b[i] = (int)(noise(~i) % 20) - 9;
    for (int i = 0; i < M * N; i++)
        for (int k = 0; k < K; k++)
            want[i] += a[i / N * K + k] * b[k * N + i % N];
    int *da = device(a, M * K), *db = device(b, K * N);
    int *y = zeroes<int>(M * N);
    product<8><<<dim3((N + 7) / 8, (M + 7) / 8), dim3(8, 8)>>>(
        y, da, db, M, N, K);
    fetch(c, y, M * N);
    all_same("element, tile 8", c, want, M * N);
    int *z = zeroes<int>(M * N);
    product<16><<<dim3((N + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(
        z, da, db, M, N, K);
    fetch(c, z, M * N);
    all_same("element, tile 16", c, want, M * N);
    return done();
}
