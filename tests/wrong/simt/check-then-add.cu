// race: looks at the counter with a plain read before adding atomically
#include "wrong.h"

__global__ void take(int *y, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef RIGHT
    y[i] = atomicAdd(count, 1) < 10;
#else
    if (*count < 10)                            // HERE
        y[i] = atomicAdd(count, 1) < 10;        // HERE OTHER
#endif
}

int main()
{
    int *y = zeroes<int>(128), *count = zeroes<int>(1);
    take<<<4, 32>>>(y, count);
    finish();
    cudaFree(y);
    cudaFree(count);
}
