// Shuffles within segments of 2, 4, 8, 16 lanes: who would take from beyond
// its segment keeps its own value, but xor may take from a segment before.
// CUDA C++ Programming Guide, Warp Shuffle Functions, on width.
#include "idiom.h"

template <int WIDTH>
__global__ void shuffle(int *up, int *down, int *other, const int *x, int d)
{
    int t = threadIdx.x;
    up[t] = __shfl_up_sync(ALL, x[t], d, WIDTH);
    down[t] = __shfl_down_sync(ALL, x[t], d, WIDTH);
    other[t] = __shfl_xor_sync(ALL, x[t], d, WIDTH);
}

template <int WIDTH> static void test(void)
{
    enum { N = 64 };
    int x[N], u[N], w[N], o[N];
    for (int i = 0; i < N; i++)
        x[i] = (int)noise(i + WIDTH);
    int *up = zeroes<int>(N), *down = zeroes<int>(N), *other = zeroes<int>(N);
    int *dx = device(x, N);
    for (int d = 0; d < 32; d += 1 + d / 2) {
        shuffle<WIDTH><<<1, N>>>(up, down, other, dx, d);
        fetch(u, up, N);
        fetch(w, down, N);
        fetch(o, other, N);
        for (int i = 0; i < N; i++) {
            int in = i % WIDTH, end = i - in + WIDTH;
            same("up", i, u[i], in < d ? x[i] : x[i - d]);
            same("down", i, w[i], in + d >= WIDTH ? x[i] : x[i + d]);
            same("xor", i, o[i], (i ^ d) >= end ? x[i] : x[i ^ d]);
        }
    }
}

int main(void)
{
    test<2>();
    test<4>();
    test<8>();
    test<16>();
    test<32>();
    return done();
}
