// Groups of warps of one block synchronise among themselves, each with a
// named barrier of its own and a number of rounds of its own.
// PTX ISA, bar.sync with a barrier and a number of threads; CUTLASS,
// NamedBarrier.
#include "idiom.h"

enum { GROUP = 96 };

__global__ void mix(int *y, const int *x)
{
    __shared__ int s[3 * GROUP];
    int t = threadIdx.x, group = t / GROUP, first = group * GROUP;
    s[t] = x[t];
    for (int k = 0; k < 2 + 3 * group; k++) {
        asm volatile("bar.sync %0, %1;" :: "r"(group + 1), "r"((int)GROUP)
                     : "memory");
        int v = s[first + (t - first + 50) % GROUP] * 3 % 10007 + k;
        asm volatile("bar.sync %0, %1;" :: "r"(group + 1), "r"((int)GROUP)
                     : "memory");
        s[t] = v;
    }
    __syncthreads();                        /* barrier 0: all of them */
    y[t] = s[t] + s[(t + GROUP) % (3 * GROUP)];
}

int main(void)
{
    enum { N = 3 * GROUP };
    int x[N], got[N], v[GROUP], *y = zeroes<int>(N);
    for (int i = 0; i < N; i++)
        x[i] = (int)(noise(i) % 1000);
    mix<<<1, N>>>(y, device(x, N));
    fetch(got, y, N);
    for (int g = 0; g < 3; g++)
        for (int k = 0; k < 2 + 3 * g; k++) {
            int *s = x + g * GROUP;
            for (int t = 0; t < GROUP; t++)
                v[t] = s[(t + 50) % GROUP] * 3 % 10007 + k;
            memcpy(s, v, sizeof v);
        }
    for (int i = 0; i < N; i++)
        same("thread", i, got[i], x[i] + x[(i + GROUP) % N]);
    return done();
}
