// A butterfly of xor shuffles: every lane gets the sum, the largest, and the
// place of the largest.
// CUDA C++ Programming Guide, Warp Shuffle Functions, reduction across a
// warp; llm.c, dev/cuda, the warp reductions of layernorm and softmax.
#include "idiom.h"

__global__ void reduce(int *sum, int *best, int *place, const int *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int s = x[i], m = x[i], at = i;
    for (int d = 16; d > 0; d /= 2)
        s += __shfl_xor_sync(ALL, s, d);
    for (int d = 1; d < 32; d *= 2) {
        int m2 = __shfl_xor_sync(ALL, m, d);
        int at2 = __shfl_xor_sync(ALL, at, d);
        if (m2 > m || (m2 == m && at2 < at)) {
            m = m2;
            at = at2;
        }
    }
    sum[i] = s;
    best[i] = m;
    place[i] = at;
}

int main(void)
{
    enum { N = 5 * 96 };
    int x[N], s[N], m[N], at[N];
    for (int i = 0; i < N; i++)
        x[i] = (int)(noise(i) % 64) - 20;       /* equal ones occur */
    int *ds = zeroes<int>(N), *dm = zeroes<int>(N), *dat = zeroes<int>(N);
    reduce<<<5, 96>>>(ds, dm, dat, device(x, N));
    fetch(s, ds, N);
    fetch(m, dm, N);
    fetch(at, dat, N);
    for (int i = 0; i < N; i++) {
        int first = i / 32 * 32, sum = 0, best = first;
        for (int k = first; k < first + 32; k++) {
            sum += x[k];
            best = x[k] > x[best] ? k : best;
        }
        same("sum", i, s[i], sum);
        same("largest", i, m[i], x[best]);
        same("place", i, at[i], best);
    }
    return done();
}
