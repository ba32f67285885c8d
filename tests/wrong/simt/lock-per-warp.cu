// race: each warp takes a lock, but not the same one
#include "wrong.h"

__global__ void add(int *mutex, int *count)
{
    int warp = threadIdx.x / 32;
#ifdef RIGHT
    warp = 0;
#endif
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&mutex[warp], 0, 1) != 0)
            ;
        __threadfence();
        *count += 1;                            // HERE OTHER
        __threadfence();
        atomicExch(&mutex[warp], 0);
    }
}

int main()
{
    int *mutex = zeroes<int>(3), *count = zeroes<int>(1);
    add<<<1, 96>>>(mutex, count);
    finish();
    cudaFree(mutex);
    cudaFree(count);
}
