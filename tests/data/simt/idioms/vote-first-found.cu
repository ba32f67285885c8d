// A warp searches for the first element that satisfies a condition: it
// stops at the first round in which a lane has found one.
// CUDA C++ Programming Guide, Warp Vote Functions; the search in warp-wide
// hash tables (SlabHash, warpcore) works so.
#include "idiom.h"

__global__ void find(int *y, const int *x, int n, const int *wanted)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, at = -1;
    for (int i = 0; i < n && at < 0; i += 32) {
        unsigned hit = __ballot_sync(ALL, i + lane < n
                                          && x[i + lane] == wanted[warp]);
        if (hit)
            at = i + __ffs(hit) - 1;
    }
    if (lane == 0)
        y[warp] = at;
}

int main(void)
{
    enum { N = 333, W = 8 };
    int x[N], wanted[W], got[W], *y = zeroes<int>(W);
    for (int i = 0; i < N; i++)
        x[i] = (int)(noise(i) % 150);
    for (int w = 0; w < W; w++)
        wanted[w] = w == 3 ? 1000 : x[w * 47 % N];
    find<<<1, 32 * W>>>(y, device(x, N), N, device(wanted, W));
    fetch(got, y, W);
    for (int w = 0; w < W; w++) {
        int at = 0;
        while (at < N && x[at] != wanted[w])
            at++;
        same("place for warp", w, got[w], at < N ? at : -1);
    }
    return done();
}
