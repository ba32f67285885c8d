// race: the flag is raised before the data are there
#include "wrong.h"

__global__ void pass(int *data, int *flag, int *y)
{
    if (blockIdx.x == 0) {
#ifdef RIGHT
        *data = 42;
        __threadfence();
        atomicExch(flag, 1);
#else
        atomicExch(flag, 1);
        __threadfence();
        *data = 42;                             // OTHER
#endif
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
