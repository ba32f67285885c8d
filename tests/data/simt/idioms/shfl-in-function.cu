// One function that shuffles is called from both sides of a branch, and in a
// loop that the groups leave after different numbers of rounds; the mask is
// an argument.
// CUDA C++ Programming Guide, Warp Shuffle Functions: all lanes of a mask
// execute the intrinsic with the same mask.
#include "idiom.h"

static __device__ __noinline__ int total(unsigned mask, int v)
{
    int s = 0;
    for (int l = 0; l < 32; l++)
        if (mask >> l & 1)
            s += __shfl_sync(mask, v, l);
    return s;
}

__global__ void groups(int *y, const int *x)
{
    int t = threadIdx.x, v = x[t], r;
    unsigned mask = __match_any_sync(ALL, v % 3);
    if (v % 3 == 0)
        r = total(mask, v);
    else if (v % 3 == 1)
        r = -total(mask, 2 * v);
    else
        r = 7;
    for (int k = 0; k <= v % 3; k++)            /* 1, 2, 3 rounds */
        r += total(mask, k + 1);
    y[t] = r;
}

int main(void)
{
    enum { N = 96 };
    int x[N], got[N], *y = zeroes<int>(N);
    for (int i = 0; i < N; i++)
        x[i] = (int)(noise(i) % 200);
    groups<<<1, N>>>(y, device(x, N));
    fetch(got, y, N);
    for (int i = 0; i < N; i++) {
        int kind = x[i] % 3, sum = 0, count = 0;
        for (int k = i / 32 * 32; k < i / 32 * 32 + 32; k++)
            if (x[k] % 3 == kind) {
                sum += x[k];
                count++;
            }
        int r = kind == 0 ? sum : kind == 1 ? -2 * sum : 7;
        same("lane", i, got[i], r + count * (kind + 1) * (kind + 2) / 2);
    }
    return done();
}
