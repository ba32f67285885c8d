// race: a fence for the block, and the reader is in another block
#include "wrong.h"

#ifdef RIGHT
#define FENCE() __threadfence()
#else
#define FENCE() __threadfence_block()
#endif

__global__ void pass(int *data, int *flag, int *y)
{
    if (blockIdx.x == 0) {
        *data = 42;                             // OTHER
        FENCE();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0)
            ;
        FENCE();
        *y = *data;                             // HERE
    }
}

int main()
{
    int *data = zeroes<int>(1), *flag = zeroes<int>(1), *y = zeroes<int>(1);
    pass<<<2, 1>>>(data, flag, y);
    finish();
    cudaFree(data);
    cudaFree(flag);
    cudaFree(y);
}
