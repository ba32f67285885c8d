// A histogram for each block, and one for each warp, in shared memory, added
// to the whole at the end.
// cuda-samples, histogram; Podlozhnyuk, Histogram calculation in CUDA;
// Programming Massively Parallel Processors, privatisation.
#include "idiom.h"

enum { BINS = 29, T = 96 };

__global__ void by_block(int *y, const unsigned char *x, int n)
{
    __shared__ int bins[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        bins[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        atomicAdd(&bins[x[i] % BINS], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        atomicAdd(&y[b], bins[b]);
}

__global__ void by_warp(int *y, const unsigned char *x, int n)
{
    __shared__ int bins[T / 32][BINS];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (lane < BINS)
        bins[warp][lane] = 0;
    __syncwarp();
    for (int i = blockIdx.x * T + threadIdx.x; i < n; i += gridDim.x * T)
        atomicAdd(&bins[warp][x[i] % BINS], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += T) {
        int sum = 0;
        for (int w = 0; w < T / 32; w++)
            sum += bins[w][b];
        atomicAdd(&y[b], sum);
    }
}

int main(void)
{
    enum { N = 5000 };
    static unsigned char x[N];
    int got[BINS], want[BINS] = { 0 };
    for (int i = 0; i < N; i++)
        want[(x[i] = (unsigned char)(noise(i) % 251)) % BINS]++;
    unsigned char *dx = device(x, N);
    int *y = zeroes<int>(BINS), *z = zeroes<int>(BINS);
    by_block<<<5, 57>>>(y, dx, N);
    by_warp<<<4, T>>>(z, dx, N);
    fetch(got, y, BINS);
    all_same("bin by blocks", got, want, BINS);
    fetch(got, z, BINS);
    all_same("bin by warps", got, want, BINS);
    return done();
}
