// race: the lock is given back before the result is written
#include "wrong.h"

__global__ void add(int *mutex, int *count)
{
    if (threadIdx.x % 32 == 5) {
        while (atomicCAS(mutex, 0, 1) != 0)
            ;
        __threadfence();
        int v = *count + 1;                     // HERE OTHER
#ifdef RIGHT
        *count = v;
        __threadfence();
        atomicExch(mutex, 0);
#else
        __threadfence();
        atomicExch(mutex, 0);
        *count = v;                             // HERE OTHER
#endif
    }
}

int main()
{
    int *mutex = zeroes<int>(1), *count = zeroes<int>(1);
    add<<<1, 128>>>(mutex, count);
    finish();
    cudaFree(mutex);
    cudaFree(count);
}
