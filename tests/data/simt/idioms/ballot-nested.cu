// Branches within branches: each vote names the lanes that the ballot of the
// branch around it has found.
// NVIDIA blog, Using CUDA Warp-Level Primitives: masks are computed, not
// asked for with __activemask.
#include "idiom.h"

__global__ void nested(unsigned *y, const int *x)
{
    int t = threadIdx.x, v = x[t];
    unsigned r = 0, a = __ballot_sync(ALL, v & 1);
    unsigned m = v & 1 ? a : ~a;
    if (v & 1) {
        unsigned b = __ballot_sync(m, v & 2);
        m = v & 2 ? b : m & ~b;
        if (v & 2)
            r = __ballot_sync(m, v & 4);
        else
            r = ~__ballot_sync(m, v & 8);
    } else {
        m = __match_any_sync(m, v & 2);     /* the lanes of this side */
        if (v & 2)
            r = __ballot_sync(m, 1);
        else
            r = __ballot_sync(m, 1) << 1;
    }
    y[t] = r;
}

int main(void)
{
    enum { N = 128 };
    int x[N];
    unsigned got[N], *y = zeroes<unsigned>(N);
    for (int i = 0; i < N; i++)
        x[i] = (int)(noise(7 * i) % 16);
    nested<<<1, N>>>(y, device(x, N));
    fetch(got, y, N);
    for (int i = 0; i < N; i++) {
        unsigned alike = 0, four = 0, eight = 0;
        for (int k = 0; k < 32; k++) {
            int u = x[i / 32 * 32 + k];
            unsigned bit = (u & 3) == (x[i] & 3);
            alike |= bit << k;
            four |= (unsigned)(bit && u & 4) << k;
            eight |= (unsigned)(bit && u & 8) << k;
        }
        unsigned want[4] = { alike << 1, ~eight, alike, four };
        same("lane", i, got[i], want[x[i] & 3]);
    }
    return done();
}
