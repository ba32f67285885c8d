// A ticket lock: whoever comes takes a number and waits until it is served,
// lanes, warps and blocks alike.
// Mellor-Crummey and Scott, 1991; NVIDIA, Volta whitepaper, on starvation-
// free algorithms.
#include "idiom.h"

__global__ void serve(unsigned *next, volatile unsigned *serving, int *order,
                      int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned mine = atomicAdd(next, 1);
    while (*serving != mine)
        ;
    __threadfence();
    order[*count] = i;
    *count += 1;
    __threadfence();
    *serving = mine + 1;
}

int main(void)
{
    enum { BLOCKS = 3, THREADS = 37, N = BLOCKS * THREADS };
    int order[N], count, had[N] = { 0 };
    int *dorder = zeroes<int>(N), *dcount = zeroes<int>(1);
    serve<<<BLOCKS, THREADS>>>(zeroes<unsigned>(1), zeroes<unsigned>(1),
                               dorder, dcount);
    fetch(order, dorder, N);
    fetch(&count, dcount, 1);
    same("count", 0, count, (int)N);
    for (int i = 0; i < N; i++) {
        same("in range", i, order[i] >= 0 && order[i] < N, true);
        same("served before", i, had[order[i]]++, 0);
    }
    return done();
}
