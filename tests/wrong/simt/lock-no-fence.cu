// race: a lock, but no fence carries the counter from holder to holder
#include "wrong.h"

#ifdef RIGHT
#define FENCE() __threadfence()
#else
#define FENCE()
#endif

__global__ void add(int *mutex, int *count)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(mutex, 0, 1) != 0)
            ;
        FENCE();
        *count += 1;                            // HERE OTHER
        FENCE();
        atomicExch(mutex, 0);
    }
}

int main()
{
    int *mutex = zeroes<int>(1), *count = zeroes<int>(1);
    add<<<4, 32>>>(mutex, count);
    finish();
    cudaFree(mutex);
    cudaFree(count);
}
