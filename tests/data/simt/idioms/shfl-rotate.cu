// Rotation of a warp by k places, and a lane number beyond the width, which
// is taken modulo the width.
// CUDA C++ Programming Guide, Warp Shuffle Functions, on srcLane outside
// [0:width-1].
#include "idiom.h"

__global__ void rotate(int *y, const int *x, int k)
{
    int t = threadIdx.x;
    y[t] = __shfl_sync(ALL, x[t], (t + k) % 32);
}

__global__ void beyond(int *y, const int *x, int k)
{
    int t = threadIdx.x;
    y[t] = __shfl_sync(ALL, x[t], t + k)            /* up to 100 */
           + 1000 * __shfl_sync(ALL, x[t], t * t + k, 8)
           + 1000000 * __shfl_sync(ALL, x[t], k, 2);
}

int main(void)
{
    enum { N = 64 };
    int x[N], got[N], *y = zeroes<int>(N), *dx;
    for (int i = 0; i < N; i++)
        x[i] = (int)(noise(i) % 1000);
    dx = device(x, N);
    for (int k = 0; k < 36; k += 5) {
        rotate<<<1, N>>>(y, dx, k);
        fetch(got, y, N);
        for (int i = 0; i < N; i++)
            same("rotated", i, got[i], x[i / 32 * 32 + (i + k) % 32]);
        beyond<<<1, N>>>(y, dx, k);
        fetch(got, y, N);
        for (int i = 0; i < N; i++)
            same("beyond", i, got[i],
                 x[i / 32 * 32 + (i + k) % 32]
                 + 1000 * x[i / 8 * 8 + (i * i + k) % 8]
                 + 1000000 * x[i / 2 * 2 + k % 2]);
    }
    return done();
}
