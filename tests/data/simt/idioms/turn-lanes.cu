// Every thread of a block waits until it is its turn, in an order that is
// neither that of the lanes nor that of the warps.
// CUDA C++ Programming Guide, Independent Thread Scheduling: waiting within
// a warp, once believed to be impossible.
#include "idiom.h"

__global__ void in_turn(int *y, const int *x, int step)
{
    __shared__ volatile int turn;
    __shared__ unsigned sum;
    int t = threadIdx.x, n = blockDim.x;
    if (t == 0) {
        turn = 0;
        sum = 1;
    }
    __syncthreads();
    int mine = t * step % n;            /* each number once */
    while (turn != mine)
        ;
    __threadfence_block();
    sum = sum * 3 + (unsigned)x[t];
    y[t] = (int)sum;
    __threadfence_block();
    turn = mine + 1;
}

int main(void)
{
    enum { N = 65 };
    const int steps[] = { 1, N - 1, 7 };    /* forwards, backwards, mixed */
    int x[N], got[N], *dx;
    for (int i = 0; i < N; i++)
        x[i] = (int)(noise(i) % 100);
    dx = device(x, N);
    for (int step : steps) {
        int *y = zeroes<int>(N);
        in_turn<<<1, N>>>(y, dx, step);
        fetch(got, y, N);
        unsigned sum = 1;
        for (int turn = 0; turn < N; turn++)
            for (int t = 0; t < N; t++)
                if (t * step % N == turn) {
                    sum = sum * 3 + (unsigned)x[t];
                    same("thread", t, (unsigned)got[t], sum);
                }
    }
    return done();
}
