// A radix sort of the keys of a warp: for each bit, the zeros go first, by
// two ballots, through shared memory.
// Programming Massively Parallel Processors, radix sort; GPU Gems 3,
// chapter 39, the split primitive.
#include "idiom.h"

__global__ void sort(unsigned *y, const unsigned *x)
{
    __shared__ unsigned place[4][32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    unsigned v = x[t], below = (1u << lane) - 1;
    for (int bit = 0; bit < 8; bit++) {
        unsigned ones = __ballot_sync(ALL, v >> bit & 1);
        int to = v >> bit & 1 ? 32 - __popc(ones) + __popc(ones & below)
                              : __popc(~ones & below);
        place[warp][to] = v;
        __syncwarp();
        v = place[warp][lane];
        __syncwarp();
    }
    y[t] = v;
}

int main(void)
{
    enum { N = 128 };
    unsigned x[N], got[N], want[N], *y = zeroes<unsigned>(N);
    for (int i = 0; i < N; i++)             /* sorted by the low 8 bits, */
        x[i] = (noise(i) & 0xff) | (unsigned)i << 8;    /* stable */
    sort<<<1, N>>>(y, device(x, N));
    fetch(got, y, N);
    for (int i = 0; i < N; i++) {
        int from = i / 32 * 32, rank = 0;
        for (int k = from; k < from + 32; k++)
            rank += (x[k] & 0xff) < (x[i] & 0xff)
                    || ((x[k] & 0xff) == (x[i] & 0xff) && k < i);
        want[from + rank] = x[i];
    }
    all_same("sorted", got, want, N);
    return done();
}
