// Lanes leave a loop one after another; each round's mask is the ballot of
// those that go on.
// NVIDIA blog, Using CUDA Warp-Level Primitives, __ballot_sync in a loop.
#include "idiom.h"

__global__ void rounds(int *y, const int *x)
{
    int t = threadIdx.x, v = x[t], n = v % 13, r = 0;
    unsigned mask = ALL;
    for (int k = 0;; k++) {
        mask = __ballot_sync(mask, k < n);      /* those still here vote */
        if (k >= n)
            break;
        int leader = __ffs(mask) - 1;
        r += __shfl_sync(mask, v + k, leader) * __popc(mask);
    }
    __syncwarp();
    y[t] = r + __shfl_xor_sync(ALL, r, 31);     /* together again */
}

int main(void)
{
    enum { N = 128 };
    int x[N], got[N], r[N] = { 0 }, *y = zeroes<int>(N);
    for (int i = 0; i < N; i++)
        x[i] = (int)(noise(i) % 500);
    rounds<<<1, N>>>(y, device(x, N));
    fetch(got, y, N);
    for (int first = 0; first < N; first += 32)
        for (int k = 0; k < 13; k++) {
            int leader = -1, count = 0;
            for (int i = first + 31; i >= first; i--)
                if (k < x[i] % 13) {
                    leader = i;
                    count++;
                }
            for (int i = first; i < first + 32; i++)
                if (k < x[i] % 13)
                    r[i] += (x[leader] + k) * count;
        }
    for (int i = 0; i < N; i++)
        same("lane", i, got[i], r[i] + r[i ^ 31]);
    return done();
}
