// race: the flag is looked at, but not waited for
#include "wrong.h"

__global__ void pass(int *data, int *flag, int *y)
{
    if (threadIdx.x == 0) {
#ifdef RIGHT
        while (atomicAdd(flag, 0) == 0)
            ;
#else
        atomicAdd(flag, 0);
#endif
        __threadfence();
        *y = *data;                             // HERE OTHER
    } else if (threadIdx.x == 32) {
        *data = 42;                             // HERE OTHER
        __threadfence();
        atomicExch(flag, 1);
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
