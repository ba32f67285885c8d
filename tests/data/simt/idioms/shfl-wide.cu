// Shuffles of 64-bit integers and doubles, which are two of 32 bits each.
// CUDA C++ Programming Guide, Warp Shuffle Functions, the types of T.
#include "idiom.h"

__global__ void mix(long long *a, unsigned long long *b, double *c,
                    const long long *x)
{
    int t = threadIdx.x;
    long long v = x[t];
    unsigned long long u = (unsigned long long)v * 3;
    double d = (double)v / 3;
    a[t] = __shfl_up_sync(ALL, v, 3) - __shfl_down_sync(ALL, v, 5);
    b[t] = __shfl_xor_sync(ALL, u, 21) ^ __shfl_sync(ALL, u, 30 - t % 32, 16);
    for (int k = 16; k > 0; k /= 2)
        d += __shfl_xor_sync(ALL, d, k);
    c[t] = d;
}

int main(void)
{
    enum { N = 64 };
    long long x[N], a[N];
    unsigned long long b[N];
    double c[N], part[N];
    for (int i = 0; i < N; i++)
        x[i] = ((long long)noise(i) << 32 | noise(i + N)) >> 12;
    long long *da = zeroes<long long>(N);
    unsigned long long *db = zeroes<unsigned long long>(N);
    double *dc = zeroes<double>(N);
    mix<<<1, N>>>(da, db, dc, device(x, N));
    fetch(a, da, N);
    fetch(b, db, N);
    fetch(c, dc, N);
    for (int i = 0; i < N; i++)
        part[i] = (double)x[i] / 3;
    for (int k = 16; k > 0; k /= 2) {           /* in the same order */
        double sum[N];
        for (int i = 0; i < N; i++)
            sum[i] = part[i] + part[i ^ k];
        memcpy(part, sum, sizeof part);
    }
    for (int i = 0; i < N; i++) {
        int lane = i % 32, up = lane < 3 ? i : i - 3;
        int down = lane > 26 ? i : i + 5;
        int half = i / 16 * 16 + ((30 - lane) & 15);
        same("signed", i, a[i], x[up] - x[down]);
        same("unsigned", i, b[i], (unsigned long long)x[i ^ 21] * 3
                                  ^ (unsigned long long)x[half] * 3);
        same("double", i, c[i], part[i]);
    }
    return done();
}
