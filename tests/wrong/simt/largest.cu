// race: compares with the best so far, then overwrites it
#include "wrong.h"

__global__ void largest(int *best, const int *x)
{
    int v = x[blockIdx.x * blockDim.x + threadIdx.x];
#ifdef RIGHT
    atomicMax(best, v);
#else
    if (v > *best)                              // HERE OTHER
        *best = v;                              // HERE OTHER
#endif
}

int main()
{
    int *x = numbers<int>(128), *best = zeroes<int>(1);
    largest<<<4, 32>>>(best, x);
    finish();
    cudaFree(x);
    cudaFree(best);
}
