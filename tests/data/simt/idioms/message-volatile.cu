// Messages by a volatile flag and fences: a warp to the next one of its
// block, and the last of a block to the first of the next block.
// CUDA C++ Programming Guide, Memory Fence Functions, the example of two
// threads; volatile qualifier.
#include "idiom.h"

enum { BLOCKS = 4, WARPS = 3, N = BLOCKS * WARPS };

__global__ void chain(int *data, volatile int *flags, int *next,
                      const int *x)
{
    __shared__ int block;
    if (threadIdx.x == 0)
        block = atomicAdd(next, 1);
    __syncthreads();
    if (threadIdx.x % 32 != 17)
        return;                                 /* one lane of each warp */
    int i = block * WARPS + threadIdx.x / 32, before = 1;
    if (i > 0) {
        while (flags[i - 1] == 0)
            ;
        __threadfence();
        before = data[i - 1];
    }
    data[i] = before * 7 % 1009 + x[i];
    __threadfence();
    flags[i] = 1;
}

int main(void)
{
    int x[N], got[N], want[N];
    for (int i = 0; i < N; i++) {
        x[i] = (int)(noise(i) % 100);
        want[i] = (i ? want[i - 1] : 1) * 7 % 1009 + x[i];
    }
    int *data = zeroes<int>(N);
    chain<<<BLOCKS, 32 * WARPS>>>(data, zeroes<int>(N), zeroes<int>(1),
                                  device(x, N));
    fetch(got, data, N);
    all_same("link", got, want, N);
    return done();
}
