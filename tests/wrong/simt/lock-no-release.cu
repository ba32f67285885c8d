// race: a fence after the lock is taken, but none before it is given back
#include "wrong.h"

__global__ void add(int *mutex, int *count)
{
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(mutex, 0, 1) != 0)
            ;
        __threadfence();
        *count += 1;                            // HERE OTHER
#ifdef RIGHT
        __threadfence();
#endif
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
