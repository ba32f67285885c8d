// A warp waits for a flag of another warp of its block, in shared and in
// global memory, the later for the earlier and the earlier for the later.
// CUDA C++ Programming Guide, Memory Fence Functions; volatile qualifier.
#include "idiom.h"

__global__ void hand(int *y, const int *x, int from, volatile int *flags,
                     int *boxes)
{
    __shared__ volatile int flag;
    __shared__ int box[32];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    if (t == 0)
        flag = 0;
    __syncthreads();
    if (warp == from) {
        box[lane] = x[lane] + 1;
        boxes[32 * blockIdx.x + lane] = x[lane] + 2;
        __syncwarp();
        if (lane == 0) {                /* for all lanes of the warp */
            __threadfence();
            flag = 1;
            flags[blockIdx.x] = 1;
        }
    } else if (warp == 1) {             /* every lane waits */
        while (flag == 0)
            ;
        __threadfence_block();
        y[64 * blockIdx.x + lane] = box[31 - lane];
    } else {                            /* one waits for all */
        if (lane == 31) {
            while (flags[blockIdx.x] == 0)
                ;
            __threadfence();
        }
        __syncwarp();
        y[64 * blockIdx.x + 32 + lane] = boxes[32 * blockIdx.x + 31 - lane];
    }
}

int main(void)
{
    enum { B = 3 };
    int x[32], got[64 * B], *dx;
    for (int i = 0; i < 32; i++)
        x[i] = (int)(noise(i) % 1000);
    dx = device(x, 32);
    for (int from = 0; from < 3; from += 2) {
        int *y = zeroes<int>(64 * B);
        hand<<<B, 96>>>(y, dx, from, zeroes<int>(B), zeroes<int>(32 * B));
        fetch(got, y, 64 * B);
        for (int i = 0; i < 64 * B; i++)
            same("thread", i, got[i], x[31 - i % 32] + 1 + i / 32 % 2);
    }
    return done();
}
