// The reductions of Ampere, each kind, for all lanes, for the lanes of a
// mask on both sides of a branch, and for groups by key.
// CUDA C++ Programming Guide, Warp Reduce Functions.
#include "idiom.h"

__global__ void reduce(int *y, const int *x)
{
    int t = threadIdx.x, v = x[t], *r = y + 10 * t;
    unsigned u = (unsigned)v, high = __ballot_sync(ALL, v > 0);
    r[0] = __reduce_add_sync(ALL, v);
    r[1] = __reduce_min_sync(ALL, v);
    r[2] = __reduce_max_sync(ALL, v);
    r[3] = (int)__reduce_min_sync(ALL, u);
    r[4] = (int)__reduce_max_sync(ALL, u);
    r[5] = (int)__reduce_and_sync(ALL, u | 0x11);
    r[6] = (int)__reduce_or_sync(ALL, u & 0xff0);
    r[7] = (int)__reduce_xor_sync(ALL, u);
    if (v > 0)
        r[8] = __reduce_add_sync(high, v);
    else
        r[8] = __reduce_min_sync(~high, v);
    unsigned alike = __match_any_sync(ALL, u & 7);
    r[9] = __reduce_max_sync(alike, v);
}

int main(void)
{
    enum { N = 160 };
    int x[N], y[N][10], *dy = zeroes<int>(10 * N);
    for (int i = 0; i < N; i++)
        x[i] = (int)noise(i) >> (i / 32 * 6);
    reduce<<<1, N>>>(dy, device(x, N));
    fetch(y[0], dy, 10 * N);
    for (int i = 0; i < N; i++) {
        const int *w = x + i / 32 * 32;
        unsigned add = 0, low = ALL, top = 0, both = ALL, any = 0, odd = 0;
        int least = w[0], most = w[0], group = x[i], side = 0;
        for (int k = 0; k < 32; k++) {
            unsigned u = (unsigned)w[k];
            add += u;
            low = u < low ? u : low;
            top = u > top ? u : top;
            both &= u | 0x11;
            any |= u & 0xff0;
            odd ^= u;
            least = w[k] < least ? w[k] : least;
            most = w[k] > most ? w[k] : most;
            if ((w[k] & 7) == (x[i] & 7))
                group = w[k] > group ? w[k] : group;
            if (x[i] > 0)
                side += w[k] > 0 ? w[k] : 0;
        }
        int want[10] = { (int)add, least, most, (int)low, (int)top, (int)both,
                         (int)any, (int)odd, x[i] > 0 ? side : least, group };
        all_same("reduction", y[i], want, 10);
    }
    return done();
}
