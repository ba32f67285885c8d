/* Tangled from chapters/workshop/measuring-a-gpu.nw, "transpose: the ladder".  Edit it there. */

#include "ladder/transpose.h"

#include "backend/cuda.h"

enum { TILE = 32, ROWS = 8 };       /* a block is 32 x 8 threads */

/* transpose, version 1: reads along rows */
__global__ void transpose_v1(float *out, const float *in, int M, int N)
{
    int n = blockIdx.x * TILE + threadIdx.x;
    int m = blockIdx.y * ROWS + threadIdx.y;
    if (m < M && n < N)
        out[(size_t)n * M + m] = in[(size_t)m * N + n];
}

/* transpose, version 2: writes along rows */
__global__ void transpose_v2(float *out, const float *in, int M, int N)
{
    int m = blockIdx.x * TILE + threadIdx.x;
    int n = blockIdx.y * ROWS + threadIdx.y;
    if (m < M && n < N)
        out[(size_t)n * M + m] = in[(size_t)m * N + n];
}

/* transpose, version 3: a tile in shared memory */
__global__ void transpose_v3(float *out, const float *in, int M, int N)
{
    __shared__ float tile[TILE][TILE];
    /* read a tile, turn it, write it */
    int n = blockIdx.x * TILE + threadIdx.x;
    int m = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        if (m + i < M && n < N)
            tile[threadIdx.y + i][threadIdx.x] = in[(size_t)(m + i) * N + n];
    __syncthreads();
    m = blockIdx.y * TILE + threadIdx.x;
    n = blockIdx.x * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        if (m < M && n + i < N)
            out[(size_t)(n + i) * M + m] = tile[threadIdx.x][threadIdx.y + i];
}

/* transpose, version 4: a padded tile */
__global__ void transpose_v4(float *out, const float *in, int M, int N)
{
    __shared__ float tile[TILE][TILE + 1];
    /* read a tile, turn it, write it */
    int n = blockIdx.x * TILE + threadIdx.x;
    int m = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        if (m + i < M && n < N)
            tile[threadIdx.y + i][threadIdx.x] = in[(size_t)(m + i) * N + n];
    __syncthreads();
    m = blockIdx.y * TILE + threadIdx.x;
    n = blockIdx.x * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        if (m < M && n + i < N)
            out[(size_t)(n + i) * M + m] = tile[threadIdx.x][threadIdx.y + i];
}

/* transpose, version 5: a swizzled tile */
__global__ void transpose_v5(float *out, const float *in, int M, int N)
{
    __shared__ float tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int n = blockIdx.x * TILE + x, m = blockIdx.y * TILE + y;
    for (int i = 0; i < TILE; i += ROWS)
        if (m + i < M && n < N)
            tile[y + i][x ^ (y + i)] = in[(size_t)(m + i) * N + n];
    __syncthreads();
    m = blockIdx.y * TILE + x;
    n = blockIdx.x * TILE + y;
    for (int i = 0; i < TILE; i += ROWS)
        if (m < M && n + i < N)
            out[(size_t)(n + i) * M + m] = tile[x][(y + i) ^ x];
}

/* column k of four rows */
__device__ static float4 column(const float4 *a, int k)
{
    switch (k) {
    case 0:  return make_float4(a[0].x, a[1].x, a[2].x, a[3].x);
    case 1:  return make_float4(a[0].y, a[1].y, a[2].y, a[3].y);
    case 2:  return make_float4(a[0].z, a[1].z, a[2].z, a[3].z);
    default: return make_float4(a[0].w, a[1].w, a[2].w, a[3].w);
    }
}

/* transpose, version 6: blocks of 4 x 4 in registers */
__global__ void transpose_v6(float *out, const float *in, int M, int N)
{
    int n = blockIdx.x * 32 + threadIdx.x % 8 * 4;
    int m = blockIdx.y * 128 + threadIdx.x / 8 * 4;
    if (m < M && n < N) {
        /* read four rows of four numbers */
        float4 a[4];
        for (int i = 0; i < 4; i++)
            a[i] = *(const float4 *)(in + (size_t)(m + i) * N + n);
        for (int k = 0; k < 4; k++)
            *(float4 *)(out + (size_t)(n + k) * M + m) = column(a, k);
    }
}

/* transpose, version 7: the blocks through a tile */
__global__ void transpose_v7(float *out, const float *in, int M, int N)
{
    __shared__ float4 tile[64][16];
    int c = threadIdx.x % 16, r = threadIdx.x / 16;
    int n = blockIdx.x * 64 + 4 * c, m = blockIdx.y * 64 + 4 * r;
    if (m < M && n < N) {
        /* read four rows of four numbers */
        float4 a[4];
        for (int i = 0; i < 4; i++)
            a[i] = *(const float4 *)(in + (size_t)(m + i) * N + n);
        for (int k = 0; k < 4; k++)
            tile[4 * c + k][r ^ c] = column(a, k);
    }
    __syncthreads();
    n = blockIdx.x * 64 + r;
    m = blockIdx.y * 64 + 4 * c;
    for (int i = 0; i < 64; i += 16)
        if (m < M && n + i < N)
            *(float4 *)(out + (size_t)(n + i) * M + m)
                = tile[r + i][c ^ (r + i) / 4];
}

/* launch a transpose */
static dim3 grid_of(int across, int width, int down, int height)
{
    return dim3((across + width - 1) / width, (down + height - 1) / height);
}

#define LAUNCH(v, grid, block)                                         \
    static void launch_##v(float *out, const float *in, int M, int N)  \
    {                                                                  \
        transpose_##v<<<grid, block>>>(out, in, M, N);                 \
        CUDA_OK(cudaGetLastError());                                   \
    }
LAUNCH(v1, grid_of(N, TILE, M, ROWS), dim3(TILE, ROWS))
LAUNCH(v2, grid_of(M, TILE, N, ROWS), dim3(TILE, ROWS))
LAUNCH(v3, grid_of(N, TILE, M, TILE), dim3(TILE, ROWS))
LAUNCH(v4, grid_of(N, TILE, M, TILE), dim3(TILE, ROWS))
LAUNCH(v5, grid_of(N, TILE, M, TILE), dim3(TILE, ROWS))
LAUNCH(v6, grid_of(N, 32, M, 128), dim3(256))
LAUNCH(v7, grid_of(N, 64, M, 64), dim3(256))

/* the table of transposes */
const struct Transpose *transposes(void)
{
    static const struct Transpose ladder[] = {
        { "v1", launch_v1, 1 }, { "v2", launch_v2, 1 },
        { "v3", launch_v3, 1 }, { "v4", launch_v4, 1 },
        { "v5", launch_v5, 1 }, { "v6", launch_v6, 4 },
        { "v7", launch_v7, 4 }, { NULL, NULL, 0 },
    };
    return ladder;
}
