// Both sides of a branch shuffle, each with the mask of its lanes, which a
// ballot before the branch has found; after it, all lanes do.
// NVIDIA blog, Using CUDA Warp-Level Primitives, on computing the mask
// before the branch.
#include "idiom.h"

__global__ void sides(int *y, const int *x)
{
    int t = threadIdx.x, v = x[t], r;
    unsigned odd = __ballot_sync(ALL, v & 1);
    if (v & 1) {
        int first = __ffs(odd) - 1;
        r = v - __shfl_sync(odd, v, first);
        r += 100 * __popc(__ballot_sync(odd, v % 3 == 0));
    } else {
        int last = 31 - __clz(~odd);
        r = v + __shfl_sync(~odd, v, last);
        r += 1000 * __any_sync(~odd, v % 5 == 0);
    }
    y[t] = r + __shfl_xor_sync(ALL, r, 1);
}

static int alone(const int *x, int i)           /* r of lane i */
{
    int from = i / 32 * 32, first = -1, last = -1, third = 0, fifth = 0;
    for (int k = from; k < from + 32; k++) {
        if ((x[k] ^ x[i]) & 1)
            continue;
        first = first < 0 ? k : first;
        last = k;
        third += x[k] % 3 == 0;
        fifth |= x[k] % 5 == 0;
    }
    return x[i] & 1 ? x[i] - x[first] + 100 * third
                    : x[i] + x[last] + 1000 * fifth;
}

int main(void)
{
    enum { N = 4 * 64 };
    int x[N], got[N], *y = zeroes<int>(N);
    for (int i = 0; i < N; i++)
        x[i] = (int)(noise(i) % 90);
    for (int i = 64; i < 96; i++)
        x[i] |= 1;                              /* one warp does not part */
    sides<<<1, N>>>(y, device(x, N));
    fetch(got, y, N);
    for (int i = 0; i < N; i++)
        same("lane", i, got[i], alone(x, i) + alone(x, i ^ 1));
    return done();
}
