// The halves of a warp exchange through shared memory, each with a mask and
// a number of rounds of its own.
// CUDA C++ Programming Guide, __syncwarp: memory ordering among the threads
// that take part.
#include "idiom.h"

__global__ void mix(int *y, const int *x)
{
    __shared__ int s[64];
    int t = threadIdx.x, l = t % 16, first = t - l;
    unsigned mask = t % 32 < 16 ? 0x0000ffffu : 0xffff0000u;
    s[t] = x[t];
    for (int k = 0; k <= t / 16; k++) {         /* 1 to 4 rounds */
        __syncwarp(mask);
        int v = s[first + (l + 5) % 16] * 3 + k;
        __syncwarp(mask);
        s[t] = v;
    }
    __syncwarp();
    y[t] = s[t] - s[t ^ 16];                    /* of the other half */
}

int main(void)
{
    enum { N = 64 };
    int x[N], got[N], s[N], *y = zeroes<int>(N);
    for (int i = 0; i < N; i++)
        s[i] = x[i] = (int)(noise(i) % 500);
    mix<<<1, N>>>(y, device(x, N));
    fetch(got, y, N);
    for (int half = 0; half < 4; half++)
        for (int k = 0; k <= half; k++) {
            int v[16], *a = s + 16 * half;
            for (int l = 0; l < 16; l++)
                v[l] = a[(l + 5) % 16] * 3 + k;
            memcpy(a, v, sizeof v);
        }
    for (int i = 0; i < N; i++)
        same("lane", i, got[i], s[i] - s[i ^ 16]);
    return done();
}
