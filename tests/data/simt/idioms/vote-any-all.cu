// Votes of a warp: any, all, uni, ballot, in warps that agree and that do
// not, and in one of a single lane.
// cuda-samples, simpleVoteIntrinsics; CUDA C++ Programming Guide, Warp Vote
// Functions.
#include "idiom.h"

__global__ void vote(unsigned *y, const int *x)
{
    int t = threadIdx.x, p = x[t];
    unsigned here = __ballot_sync(ALL, 1);
    y[2 * t] = __ballot_sync(here, p);
    y[2 * t + 1] = (__any_sync(here, p) != 0) + 2 * (__all_sync(here, p) != 0)
                   + 4 * (__all_sync(here, !p) != 0);
}

int main(void)
{
    enum { N = 257 };
    int x[N];
    unsigned y[N][2], *dy = zeroes<unsigned>(2 * N);
    for (int i = 0; i < N; i++) {
        int warp = i / 32;
        x[i] = warp == 1 ? 0 : warp == 2 ? 5 : warp == 3 ? i == 100 :
               warp == 4 ? (i != 150) << 20 : (int)(noise(i) & 4);
    }
    vote<<<1, N>>>(dy, device(x, N));
    fetch(y[0], dy, 2 * N);
    for (int i = 0; i < N; i++) {
        int from = i / 32 * 32, to = from + 32 < N ? from + 32 : N;
        unsigned yes = 0;
        unsigned all = to - from == 32 ? ALL : (1u << (to - from)) - 1;
        for (int k = from; k < to; k++)
            yes |= (unsigned)(x[k] != 0) << (k - from);
        same("ballot", i, y[i][0], yes);
        same("any, all, none", i, y[i][1],
             (yes != 0) + 2u * (yes == all) + 4u * (yes == 0));
    }
    return done();
}
