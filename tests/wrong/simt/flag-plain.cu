// race: the flag is an ordinary variable, neither volatile nor atomic
#include "wrong.h"

#ifdef RIGHT
typedef volatile int Flag;
#else
typedef int Flag;
#endif

__global__ void pass(int *data, Flag *flag, int *y)
{
    if (threadIdx.x == 0) {
        *data = 42;
        __threadfence_block();
        *flag = 1;                              // OTHER
    } else if (threadIdx.x == 32) {
        while (*flag == 0)                      // HERE
            asm volatile("" ::: "memory");      /* or it is read only once */
        __threadfence_block();
        *y = *data;
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
