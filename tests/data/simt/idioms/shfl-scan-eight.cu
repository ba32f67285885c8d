// Inclusive scan of groups of 8 lanes by shuffles upwards.
// CUDA C++ Programming Guide, Warp Shuffle Functions, inclusive plus-scan
// across sub-partitions of 8 threads.
#include "idiom.h"

__global__ void scan(int *y, const int *x)
{
    int t = threadIdx.x, v = x[t];
    for (int d = 1; d < 8; d *= 2) {
        int u = __shfl_up_sync(ALL, v, d, 8);
        if (t % 8 >= d)
            v += u;
    }
    y[t] = v;
}

int main(void)
{
    enum { N = 57 };                    /* the last group has one lane */
    int x[N], got[N], want[N];
    for (int i = 0; i < N; i++) {
        x[i] = (int)(noise(i) % 100) - 40;
        want[i] = x[i] + (i % 8 ? want[i - 1] : 0);
    }
    int *y = zeroes<int>(N);
    scan<<<1, N>>>(y, device(x, N));
    fetch(got, y, N);
    all_same("prefix", got, want, N);
    return done();
}
