// race: a seqlock whose data are read plainly while they may be written
#include "wrong.h"

#ifdef RIGHT
#define READ(p)     atomicAdd(p, 0)
#define WRITE(p, v) atomicExch(p, v)
#else
#define READ(p)     (*(p))
#define WRITE(p, v) (*(p) = (v))
#endif

__global__ void share(int *y, int *seq, int *data)
{
    if (threadIdx.x == 0) {                     /* reads two versions */
        for (int v = -1, k = 0; k < 2; k++) {
            int before, after, old = v;
            do {
                before = atomicAdd(seq, 0);
                __threadfence();
                v = READ(&data[0]) + READ(&data[1]);    // HERE OTHER
                __threadfence();
                after = atomicAdd(seq, 0);
            } while (before % 2 || before != after || v == old);
            y[k] = v;
        }
    } else if (threadIdx.x == 32) {
        atomicExch(seq, 1);
        __threadfence();
        WRITE(&data[0], 3);                     // HERE OTHER
        WRITE(&data[1], 4);                     // HERE OTHER
        __threadfence();
        atomicExch(seq, 2);
    }
}

int main()
{
    int *y = zeroes<int>(2), *seq = zeroes<int>(1), *data = zeroes<int>(2);
    share<<<1, 64>>>(y, seq, data);
    finish();
    cudaFree(y);
    cudaFree(seq);
    cudaFree(data);
}
