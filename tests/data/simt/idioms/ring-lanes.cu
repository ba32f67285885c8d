// A ring of 4 places in shared memory between one lane that fills and one
// that empties it, two pairs in a warp, with counters that only one of them
// writes.
// CUDA C++ Programming Guide, Independent Thread Scheduling; Lamport's queue
// of one producer and one consumer.
#include "idiom.h"

enum { PLACES = 4, N = 50 };

__global__ void ring(int *y, const int *x)
{
    __shared__ int box[4][PLACES];
    __shared__ volatile int filled[4], emptied[4];
    int t = threadIdx.x, pair = t / 16;
    unsigned sum = 0;
    if (t % 16 == 0)
        filled[pair] = emptied[pair] = 0;
    __syncthreads();
    if (t % 16 == 3) {                          /* consumer */
        for (int k = 0; k < N; k++) {
            while (filled[pair] <= k)
                ;
            __threadfence_block();
            sum = sum * 3 + (unsigned)box[pair][k % PLACES];
            __threadfence_block();
            emptied[pair] = k + 1;
        }
        y[pair] = (int)sum;
    } else if (t % 16 == 9) {                   /* producer */
        for (int k = 0; k < N; k++) {
            while (k - emptied[pair] >= PLACES)
                ;
            __threadfence_block();
            box[pair][k % PLACES] = x[k] + pair;
            __threadfence_block();
            filled[pair] = k + 1;
        }
    }
}

int main(void)
{
    int x[N], got[4], *y = zeroes<int>(4);
    for (int i = 0; i < N; i++)
        x[i] = (int)(noise(i) % 3);
    ring<<<1, 64>>>(y, device(x, N));
    fetch(got, y, 4);
    for (int pair = 0; pair < 4; pair++) {
        unsigned sum = 0;
        for (int k = 0; k < N; k++)
            sum = sum * 3 + (unsigned)(x[k] + pair);
        same("pair", pair, (unsigned)got[pair], sum);
    }
    return done();
}
