// The last block to finish adds the sums of all: the thread that wrote the
// block's sum fences it and takes a ticket.
// CUDA C++ Programming Guide, Memory Fence Functions, the listing of a sum
// in one kernel; cuda-samples, threadFenceReduction.
#include "idiom.h"

__global__ void sum(int *y, volatile int *part, unsigned *ticket,
                    const int *x, int n)
{
    __shared__ int s[8];
    __shared__ bool last;
    int t = threadIdx.x, v = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n;
         i += gridDim.x * blockDim.x)
        v += x[i];
    v = __reduce_add_sync(ALL, v);
    if (t % 32 == 0)
        s[t / 32] = v;
    __syncthreads();
    if (t == 0) {
        for (int w = 1; w < (int)blockDim.x / 32; w++)
            v += s[w];
        part[blockIdx.x] = v;
        __threadfence();
        last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t < 32) {
        v = 0;
        for (int b = t; b < (int)gridDim.x; b += 32)
            v += part[b];
        v = __reduce_add_sync(ALL, v);
        if (t == 0)
            *y = v;                 /* and the ticket is 0 again */
    }
}

int main(void)
{
    enum { N = 10000, BLOCKS = 37 };
    static int x[N];
    int got, *y = zeroes<int>(1), *part = zeroes<int>(BLOCKS);
    unsigned *ticket = zeroes<unsigned>(1);
    for (int round = 0; round < 3; round++) {
        int want = 0;
        for (int i = 0; i < N; i++)
            want += x[i] = (int)(noise(i + round) % 2000) - 700;
        sum<<<BLOCKS, 96>>>(y, part, ticket, device(x, N), N - round);
        fetch(&got, y, 1);
        for (int i = N - round; i < N; i++)
            want -= x[i];
        same("sum of round", round, got, want);
    }
    return done();
}
