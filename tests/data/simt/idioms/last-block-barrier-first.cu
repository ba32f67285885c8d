// The last block to finish: the barrier gathers the writes of the block, and
// the fence of one thread covers them all, for fences are cumulative.
// PTX ISA, Memory Consistency Model, causality order; cooperative groups'
// grid barrier does it in this order.
#include "idiom.h"

enum { T = 65, BLOCKS = 7 };

__global__ void largest(int *y, int *part, int *ticket, const int *x)
{
    __shared__ bool last;
    int t = threadIdx.x, i = blockIdx.x * T + t;
    part[i] = x[i] * 2 + 1;
    __syncthreads();
    if (t == 0) {
        __threadfence();
        last = atomicAdd(ticket, 1) == (int)gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last) {
        int most = part[t];
        for (int b = 1; b < (int)gridDim.x; b++)
            most = max(most, part[b * T + t]);
        y[t] = most;
    }
}

int main(void)
{
    int x[BLOCKS * T], got[T], *y = zeroes<int>(T);
    for (int i = 0; i < BLOCKS * T; i++)
        x[i] = (int)(noise(i) % 9999) - 5000;
    largest<<<BLOCKS, T>>>(y, zeroes<int>(BLOCKS * T), zeroes<int>(1),
                           device(x, BLOCKS * T));
    fetch(got, y, T);
    for (int t = 0; t < T; t++) {
        int most = x[t];
        for (int b = 1; b < BLOCKS; b++)
            most = x[b * T + t] > most ? x[b * T + t] : most;
        same("largest at", t, got[t], most * 2 + 1);
    }
    return done();
}
