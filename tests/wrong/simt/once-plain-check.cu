// race: is the entry ready?  A plain look first, to save the atomic
#include "wrong.h"

__global__ void table(int *y, int *state, int *entry)
{
    if (threadIdx.x % 32 != 0)
        return;
#ifdef RIGHT
    int ready = atomicAdd(state, 0);
#else
    int ready = *state;                         // HERE OTHER
#endif
    if (ready != 2) {
        if (atomicCAS(state, 0, 1) == 0) {      // HERE OTHER
            *entry = 42;
            __threadfence();
            atomicExch(state, 2);               // HERE OTHER
        } else {
            while (atomicAdd(state, 0) != 2)
                ;
        }
    }
    __threadfence();
    y[threadIdx.x / 32] = *entry;               // HERE
}

int main()
{
    int *y = zeroes<int>(3), *state = zeroes<int>(1), *entry = zeroes<int>(1);
    table<<<1, 96>>>(y, state, entry);
    finish();
    cudaFree(y);
    cudaFree(state);
    cudaFree(entry);
}
