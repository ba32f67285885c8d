// race: all lanes take the lock, but one that need not, as it believes
#include "wrong.h"

__global__ void add(int *mutex, int *count)
{
#ifdef RIGHT
    bool first = false;
#else
    bool first = threadIdx.x == 0;              /* nobody is there yet */
#endif
    if (first) {
        *count += 1;                            // HERE OTHER
    } else {
        while (atomicCAS(mutex, 0, 1) != 0)
            ;
        __threadfence();
        *count += 1;                            // HERE OTHER
        __threadfence();
        atomicExch(mutex, 0);
    }
}

int main()
{
    int *mutex = zeroes<int>(1), *count = zeroes<int>(1);
    add<<<1, 40>>>(mutex, count);
    finish();
    cudaFree(mutex);
    cudaFree(count);
}
