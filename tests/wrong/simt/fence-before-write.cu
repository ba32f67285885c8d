// race: the fence stands before the write that it should publish
#include "wrong.h"

__global__ void pass(int *data, int *flag, int *y)
{
    if (blockIdx.x == 0) {
#ifdef RIGHT
        *data = 42;
        __threadfence();
#else
        __threadfence();
        *data = 42;                             // OTHER
#endif
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0)
            ;
        __threadfence();
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
