// The lanes with equal values, of each type that can be compared.
// CUDA C++ Programming Guide, Warp Match Functions, __match_any_sync.
#include "idiom.h"

template <typename T> __global__ void match(unsigned *y, const T *x)
{
    int t = threadIdx.x;
    y[t] = __match_any_sync(ALL, x[t]);
}

template <typename T> static void test(const char *what, T step)
{
    enum { N = 96 };
    T x[N];
    unsigned got[N], *y = zeroes<unsigned>(N);
    for (int i = 0; i < N; i++)
        x[i] = (T)(noise(i) % (i < 32 ? 3 : i < 64 ? 12 : 1000)) * step;
    match<<<1, N>>>(y, device(x, N));
    fetch(got, y, N);
    for (int i = 0; i < N; i++) {
        unsigned want = 0;
        for (int k = 0; k < 32; k++)
            want |= (unsigned)(x[i / 32 * 32 + k] == x[i]) << k;
        same(what, i, got[i], want);
    }
}

int main(void)
{
    test<int>("int", -7);
    test<unsigned>("unsigned", 0x10000001u);
    test<long long>("long long", -(1ll << 35));
    test<unsigned long long>("unsigned long long", 1ull << 40);
    test<float>("float", 0.5f);
    test<double>("double", 1e-9);
    return done();
}
