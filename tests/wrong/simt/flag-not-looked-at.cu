// race: the writer raises its flag, and the reader does not look at it
#include "wrong.h"

__global__ void pass(int *data, int *flag, int *y)
{
    if (threadIdx.x == 0) {
        *data = 42;                             // HERE OTHER
        __threadfence();
        atomicExch(flag, 1);
    } else if (threadIdx.x == 32) {
#ifdef RIGHT
        while (atomicAdd(flag, 0) == 0)
            ;
#endif
        __threadfence();
        *y = *data;                             // HERE OTHER
    }
}

int main()
{
    int *data = zeroes<int>(1), *flag = zeroes<int>(1), *y = zeroes<int>(1);
    pass<<<1, 64>>>(data, flag, y);
    finish();
    cudaFree(data);
    cudaFree(flag);
    cudaFree(y);
}
