// A bitonic sort of the 32 values of a warp, by xor shuffles.
// NVIDIA, Kepler's shuffle: tips and tricks (GTC talk), on bitonic sort.
#include "idiom.h"

__global__ void sort(unsigned *y, const unsigned *x)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned v = x[t];
    for (int size = 2; size <= 32; size *= 2)
        for (int d = size / 2; d > 0; d /= 2) {
            unsigned u = __shfl_xor_sync(ALL, v, d);
            bool rising = !(lane & size), low = !(lane & d);
            v = rising == low ? min(u, v) : max(u, v);
        }
    y[t] = v;
}

static int compare(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    enum { N = 6 * 32 };
    unsigned x[N], got[N], *y = zeroes<unsigned>(N);
    for (int i = 0; i < N; i++)
        x[i] = noise(i) >> (i / 32 * 5);        /* with equal ones, too */
    sort<<<2, 96>>>(y, device(x, N));
    fetch(got, y, N);
    for (int i = 0; i < N; i += 32)
        qsort(x + i, 32, sizeof *x, compare);
    all_same("sorted", got, x, N);
    return done();
}
