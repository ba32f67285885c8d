// race: one lane takes the lock and writes, another gives it back
#include "wrong.h"

__global__ void add(int *mutex, int *count)
{
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        while (atomicCAS(mutex, 0, 1) != 0)
            ;
        __threadfence();
        *count += 1;                            // HERE OTHER
    }
#ifdef RIGHT
    __syncwarp();
#else
    __ballot_sync(0xffffffff, 1);   /* the lanes meet, memory is not ordered */
#endif
    if (lane == 1) {
        __threadfence();
        atomicExch(mutex, 0);
    }
}

int main()
{
    int *mutex = zeroes<int>(1), *count = zeroes<int>(1);
    add<<<1, 96>>>(mutex, count);
    finish();
    cudaFree(mutex);
    cudaFree(count);
}
