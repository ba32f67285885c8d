// Do all lanes of a mask have the same value?  The mask if they do, else 0,
// and a predicate that says the same.
// CUDA C++ Programming Guide, Warp Match Functions, __match_all_sync.
#include "idiom.h"

template <typename T> __global__ void match(unsigned *y, const T *x)
{
    int t = threadIdx.x, all = -1, pairs = -1;
    unsigned quad = 0xfu << (t % 32 / 4 * 4);
    y[2 * t] = __match_all_sync(ALL, x[t], &all);
    y[2 * t + 1] = __match_all_sync(quad, x[t], &pairs);
    if ((all != 0) != (y[2 * t] != 0) || (pairs != 0) != (y[2 * t + 1] != 0))
        y[2 * t] = 12345;
}

template <typename T> static void test(const char *what, T step)
{
    enum { N = 128 };
    T x[N];
    unsigned y[N][2], *dy = zeroes<unsigned>(2 * N);
    for (int i = 0; i < N; i++)         /* one warp is of one value */
        x[i] = step * (T)(i < 32 ? 5 : i == 77 ? 9 : i / 7);
    match<<<1, N>>>(dy, device(x, N));
    fetch(y[0], dy, 2 * N);
    for (int i = 0; i < N; i++) {
        int warp = 1, quad = 1;
        for (int k = 0; k < 32; k++)
            warp &= x[i / 32 * 32 + k] == x[i];
        for (int k = 0; k < 4; k++)
            quad &= x[i / 4 * 4 + k] == x[i];
        same(what, i, y[i][0], warp ? ALL : 0);
        same(what, i, y[i][1], quad ? 0xfu << (i % 32 / 4 * 4) : 0);
    }
}

int main(void)
{
    test<int>("int", -7);
    test<unsigned>("unsigned", 0x10000001u);
    test<long long>("long long", 1ll << 33);
    test<unsigned long long>("unsigned long long", 1ull << 40);
    test<float>("float", 0.25f);
    test<double>("double", 1e-9);
    return done();
}
