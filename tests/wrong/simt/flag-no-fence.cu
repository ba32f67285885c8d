// race: a volatile flag, but nothing orders the data with it
#include "wrong.h"

#ifdef RIGHT
#define FENCE() __threadfence_block()
#else
#define FENCE()
#endif

__global__ void pass(int *data, volatile int *flag, int *y)
{
    if (threadIdx.x == 0) {
        *data = 42;                             // OTHER
        FENCE();
        *flag = 1;
    } else if (threadIdx.x == 32) {
        while (*flag == 0)
            ;
        FENCE();
        *y = *data;                             // HERE
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
