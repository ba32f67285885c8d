// Lanes without work return; the others shuffle and vote with the mask of
// those that are left.
// NVIDIA blog, Using CUDA Warp-Level Primitives; programming guide: only
// threads that have not exited may be named.
#include "idiom.h"

__global__ void rest(int *sum, int *rank, const int *x)
{
    int t = threadIdx.x, v = x[t];
    unsigned mask = __ballot_sync(ALL, v >= 30);
    if (v < 30)
        return;
    unsigned below = mask & ((1u << t % 32) - 1);
    rank[t] = __popc(below);
    int s = 0;
    for (unsigned m = mask; m; m &= m - 1)      /* one after another */
        s += __shfl_sync(mask, v, __ffs(m) - 1);
    mask = __ballot_sync(mask, v < 60);
    if (v >= 60)
        return;
    sum[t] = s + 10000 * __popc(__ballot_sync(mask, v % 2));
}

int main(void)
{
    enum { N = 160 };
    int x[N], s[N], r[N], *ds = zeroes<int>(N), *dr = zeroes<int>(N);
    for (int i = 0; i < N; i++)
        x[i] = (int)(noise(3 * i) % 90);
    for (int i = 32; i < 64; i++)
        x[i] %= 30;                             /* a warp that leaves */
    rest<<<1, N>>>(ds, dr, device(x, N));
    fetch(s, ds, N);
    fetch(r, dr, N);
    for (int i = 0; i < N; i++) {
        int all = 0, below = 0, odd = 0;
        for (int k = i / 32 * 32; k < i / 32 * 32 + 32; k++) {
            all += x[k] >= 30 ? x[k] : 0;
            below += k < i && x[k] >= 30;
            odd += x[k] >= 30 && x[k] < 60 && x[k] % 2;
        }
        same("sum", i, s[i],
             x[i] < 30 || x[i] >= 60 ? 0 : all + 10000 * odd);
        same("rank", i, r[i], x[i] < 30 ? 0 : below);
    }
    return done();
}
