// uninitialised: the atomic counter starts anywhere
#include "wrong.h"

__global__ void count(int *n, const int *x)
{
    if (x[threadIdx.x] % 3 == 0)
        atomicAdd(n, 1);                        // HERE
}

int main()
{
    int *x = numbers<int>(64), *n;
    cudaMalloc(&n, sizeof *n);
#ifdef RIGHT
    cudaMemset(n, 0, sizeof *n);
#endif
    count<<<1, 64>>>(n, x);
    finish();
    cudaFree(n);
    cudaFree(x);
}
