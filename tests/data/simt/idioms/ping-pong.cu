// Two threads hand a value to and fro 100 times: lanes of a warp, warps of a
// block, either of them first.
// CUDA C++ Programming Guide, Memory Fence Functions and Independent Thread
// Scheduling.
#include "idiom.h"

__global__ void play(int *y, int first, int second, int rounds)
{
    __shared__ volatile int ball;       /* even: the first's turn */
    __shared__ int box;
    int t = threadIdx.x;
    if (t == 0) {
        ball = 0;
        box = 1;
    }
    __syncthreads();
    if (t == first || t == second)
        for (int k = t == second; k < 2 * rounds; k += 2) {
            while (ball != k)
                ;
            __threadfence_block();
            box = box * 5 % 1009 + (t == first);
            __threadfence_block();
            ball = k + 1;
        }
    __syncthreads();
    if (t == 20)
        *y = box;
}

int main(void)
{
    const int players[][2] = { { 0, 1 }, { 31, 2 }, { 0, 32 }, { 95, 3 } };
    enum { ROUNDS = 100 };
    for (int k = 0; k < 4; k++) {
        int got, want = 1, *y = zeroes<int>(1);
        play<<<1, 96>>>(y, players[k][0], players[k][1], ROUNDS);
        fetch(&got, y, 1);
        for (int i = 0; i < 2 * ROUNDS; i++)
            want = want * 5 % 1009 + (i % 2 == 0);
        same("pair", k, got, want);
    }
    return done();
}
