// Lane 0 of each warp takes 32 items from a counter and tells the others;
// before the shuffle they have no value at all.
// CUDA C++ Programming Guide, Warp Shuffle Functions, broadcast example.
#include "idiom.h"

__global__ void take(int *y, int *next, int n)
{
    int lane = threadIdx.x % 32, from;
    if (lane == 0)
        from = atomicAdd(next, 32);
    from = __shfl_sync(ALL, from, 0);
    if (from + lane < n)
        y[from + lane] += from + 1;
}

__global__ void middle(int *y, const int *x)
{
    int t = threadIdx.x;
    y[t] = __shfl_sync(ALL, x[t], 13) + __shfl_sync(ALL, x[t], t / 32 + 2);
}

int main(void)
{
    enum { N = 257, T = 96 };
    int h[N], x[T], z[T], *y = zeroes<int>(N), *next = zeroes<int>(1), end;
    take<<<3, 96>>>(y, next, N);
    fetch(h, y, N);
    fetch(&end, next, 1);
    same("counter", 0, end, 288);
    for (int i = 0; i < N; i++)
        same("item", i, h[i], i / 32 * 32 + 1);

    for (int i = 0; i < T; i++)
        x[i] = (int)noise(i) % 1000;
    int *dz = zeroes<int>(T);
    middle<<<1, T>>>(dz, device(x, T));
    fetch(z, dz, T);
    for (int i = 0; i < T; i++)
        same("lane", i, z[i], x[i / 32 * 32 + 13] + x[i / 32 * 33 + 2]);
    return done();
}
