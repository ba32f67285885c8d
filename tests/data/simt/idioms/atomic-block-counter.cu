// Threads count in shared memory, one of the block reserves that many places
// in the result, and each thread puts its own there.
// NVIDIA blog, CUDA Pro Tip: Optimized Filtering, the variant with shared
// memory; CUDA by Example, chapter 9.
#include "idiom.h"

__global__ void filter(int *y, int *n, const int *x, int size)
{
    __shared__ int count, base;
    int i = blockIdx.x * blockDim.x + threadIdx.x, rank = -1;
    if (threadIdx.x == 0)
        count = 0;
    __syncthreads();
    if (i < size && x[i] % 3 == 1)
        rank = atomicAdd(&count, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        base = atomicAdd(n, count);
    __syncthreads();
    if (rank >= 0)
        y[base + rank] = x[i];
}

int main(void)
{
    enum { N = 1000 };
    static char there[3 * N];
    int x[N], got[N], count, want = 0;
    for (int i = 0; i < N; i++) {
        x[i] = 3 * i + (int)(noise(i) % 3);         /* no two are equal */
        want += x[i] % 3 == 1;
    }
    int *y = zeroes<int>(N), *n = zeroes<int>(1);
    filter<<<(N + 56) / 57, 57>>>(y, n, device(x, N), N);
    fetch(&count, n, 1);
    fetch(got, y, N);
    same("count", 0, count, want);
    for (int i = 0; i < count; i++) {
        same("kind of", i, got[i] % 3, 1);
        same("known", i, x[got[i] / 3], got[i]);
        same("twice", i, (int)there[got[i]]++, 0);
    }
    return done();
}
