// A tile in shared memory, with and without a column of padding.
#include <stdio.h>

template <int PITCH>
__global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[32][PITCH];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
    #pragma unroll 1
    for (int r = threadIdx.y; r < 32; r += 8)
        tile[r][threadIdx.x] = in[(y + r) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32;
    #pragma unroll 1
    for (int r = threadIdx.y; r < 32; r += 8)
        out[(y + r) * n + x] = tile[threadIdx.x][r];
}

__global__ void transpose_naive(float *out, const float *in, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x;
    #pragma unroll 1
    for (int r = threadIdx.y; r < 32; r += 8)
        out[x * n + blockIdx.y * 32 + r] = in[(blockIdx.y * 32 + r) * n + x];
}

enum { N = 128 };
static float h[N * N], back[N * N];

static int wrong(const float *out)
{
    int bad = 0;
    cudaMemcpy(back, out, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N * N; i++)
        bad += back[i] != h[i % N * N + i / N];
    return bad;
}

int main(void)
{
    float *in, *out;
    int bad = 0;
    for (int i = 0; i < N * N; i++)
        h[i] = (float)i;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    dim3 grid(N / 32, N / 32), block(32, 8);
    transpose_naive<<<grid, block>>>(out, in, N);
    bad += wrong(out);
    cudaMemset(out, 0, sizeof h);
    transpose<32><<<grid, block>>>(out, in, N);
    bad += wrong(out);
    cudaMemset(out, 0, sizeof h);
    transpose<33><<<grid, block>>>(out, in, N);
    bad += wrong(out);
    cudaFree(in);
    cudaFree(out);
    printf("%d wrong, %s\n", bad, cudaGetErrorString(cudaGetLastError()));
    return bad != 0;
}
