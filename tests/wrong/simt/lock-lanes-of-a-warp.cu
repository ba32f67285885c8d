// race: one lane takes the lock for its warp, and the others do not wait
#include "wrong.h"

__global__ void add(int *mutex, int *row)
{
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        while (atomicCAS(mutex, 0, 1) != 0)
            ;
        __threadfence();
    }
#ifdef RIGHT
    __syncwarp();
#endif
    row[lane] += 1;                             // HERE OTHER
    __syncwarp();
    if (lane == 0) {
        __threadfence();
        atomicExch(mutex, 0);
    }
}

int main()
{
    int *mutex = zeroes<int>(1), *row = zeroes<int>(32);
    add<<<1, 96>>>(mutex, row);
    finish();
    cudaFree(mutex);
    cudaFree(row);
}
