// race: lanes wait for their turn, but nothing orders what they write
#include "wrong.h"

#ifdef RIGHT
#define FENCE() __threadfence_block()
#else
#define FENCE()
#endif

__global__ void in_turn(int *y)
{
    __shared__ volatile int turn;
    __shared__ int sum;
    int l = threadIdx.x;
    if (l == 0)
        turn = sum = 0;
    __syncthreads();
    while (turn != l)
        ;
    FENCE();
    sum = 2 * sum + 1;                          // HERE OTHER
    FENCE();
    turn = l + 1;
    __syncthreads();
    if (l == 0)
        *y = sum;
}

int main()
{
    int *y = zeroes<int>(1);
    in_turn<<<1, 20>>>(y);
    finish();
    cudaFree(y);
}
