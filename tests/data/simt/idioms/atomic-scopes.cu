// Atomics that need to be seen by the block only, or by the whole system,
// and a fence to match.
// CUDA C++ Programming Guide, Atomic Functions, the suffixes _block and
// _system.
#include "idiom.h"

__global__ void count(int *y, int *all, const int *x, int n)
{
    __shared__ int even, most, lock, sum;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        even = most = lock = sum = 0;
    __syncthreads();
    if (i < n) {
        if (x[i] % 2 == 0)
            atomicAdd_block(&even, 1);
        atomicMax_block(&most, x[i]);
        while (atomicCAS_block(&lock, 0, 1) != 0)
            ;
        __threadfence_block();
        sum += x[i];
        __threadfence_block();
        atomicExch_block(&lock, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        y[blockIdx.x] = even * 1000 + most;
        atomicAdd_system(all, sum);
        __threadfence_system();
    }
}

int main(void)
{
    enum { N = 200, T = 57, B = (N + T - 1) / T };
    int x[N], got[B], even[B] = { 0 }, most[B] = { 0 }, sum = 0, all;
    for (int i = 0; i < N; i++) {
        sum += x[i] = (int)(noise(i) % 1000);
        even[i / T] += x[i] % 2 == 0;
        most[i / T] = x[i] > most[i / T] ? x[i] : most[i / T];
    }
    int *y = zeroes<int>(B), *da = zeroes<int>(1);
    count<<<B, T>>>(y, da, device(x, N), N);
    fetch(got, y, B);
    fetch(&all, da, 1);
    for (int b = 0; b < B; b++)
        same("block", b, got[b], even[b] * 1000 + most[b]);
    same("sum", 0, all, sum);
    return done();
}
