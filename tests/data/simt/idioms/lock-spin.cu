// A lock that each lane takes by spinning until it has it, and then goes on:
// needs that every lane makes progress while others of its warp spin.
// NVIDIA, Volta whitepaper, Independent Thread Scheduling; CUDA by Example,
// appendix on locks.
#include "idiom.h"

__global__ void count(int *mutex, int *counter, int *seen)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (atomicCAS(mutex, 0, 1) != 0)
        ;
    __threadfence();
    seen[i] = *counter;
    *counter = seen[i] + 1;
    __threadfence();
    atomicExch(mutex, 0);
}

int main(void)
{
    enum { BLOCKS = 3, THREADS = 57, N = BLOCKS * THREADS };
    int n, seen[N], had[N] = { 0 };
    int *mutex = zeroes<int>(1), *counter = zeroes<int>(1);
    int *dseen = zeroes<int>(N);
    count<<<BLOCKS, THREADS>>>(mutex, counter, dseen);
    fetch(&n, counter, 1);
    fetch(seen, dseen, N);
    same("counter", 0, n, (int)N);
    for (int i = 0; i < N; i++) {               /* each number once */
        same("in range", i, seen[i] >= 0 && seen[i] < N, true);
        had[seen[i]]++;
    }
    for (int i = 0; i < N; i++)
        same("times seen", i, had[i], 1);
    return done();
}
