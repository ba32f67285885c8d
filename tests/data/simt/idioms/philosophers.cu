// 32 lanes at a round table share 32 forks; each needs its two, and takes
// the lower one first, so that nobody starves.
// Dijkstra's dining philosophers, made possible within a warp by NVIDIA,
// Volta whitepaper, Independent Thread Scheduling.
#include "idiom.h"

static __device__ void take(int *fork)
{
    while (atomicCAS(fork, 0, 1) != 0)
        ;
    __threadfence_block();
}

static __device__ void put(int *fork)
{
    __threadfence_block();
    atomicExch(fork, 0);
}

__global__ void dine(int *y, int meals)
{
    __shared__ int fork[33], used[33];
    int l = threadIdx.x, n = blockDim.x, other = (l + 1) % n;
    fork[l] = used[l] = 0;
    __syncthreads();
    for (int k = 0; k < meals + l % 3; k++) {
        take(&fork[min(l, other)]);
        take(&fork[max(l, other)]);
        used[l]++;
        used[other]++;
        put(&fork[l]);
        put(&fork[other]);
    }
    __syncthreads();
    y[l] = used[l];
}

int main(void)
{
    const int sizes[] = { 2, 5, 32, 33 };
    enum { MEALS = 4 };
    for (int n : sizes) {
        int got[33], *y = zeroes<int>(n);
        dine<<<1, n>>>(y, MEALS);
        fetch(got, y, n);
        for (int i = 0; i < n; i++)
            same("fork", i, got[i],
                 2 * MEALS + i % 3 + (i + n - 1) % n % 3);
    }
    return done();
}
