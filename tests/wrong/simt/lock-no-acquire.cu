// race: a fence before the lock is given back, but none after it is taken
#include "wrong.h"

__global__ void add(int *mutex, int *count)
{
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(mutex, 0, 1) != 0)
            ;
#ifdef RIGHT
        __threadfence();
#endif
        *count += 1;                            // HERE OTHER
        __threadfence();
        atomicExch(mutex, 0);
    }
}

int main()
{
    int *mutex = zeroes<int>(1), *count = zeroes<int>(1);
    add<<<2, 96>>>(mutex, count);
    finish();
    cudaFree(mutex);
    cudaFree(count);
}
