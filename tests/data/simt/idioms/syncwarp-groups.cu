// Groups of 8 lanes that loop for different numbers of rounds, each with
// __syncwarp, shuffle and vote of its own mask: a tile of 8 threads.
// CUDA C++ Programming Guide, Cooperative Groups, tiled_partition; what such
// a tile does underneath.
#include "idiom.h"

static __device__ int smallest(unsigned mask, int v)
{
    for (int d = 4; d > 0; d /= 2)
        v = min(v, __shfl_xor_sync(mask, v, d, 8));
    return v;
}

/* subtract the smallest that is not zero, until all of a group are zero */
__global__ void countdown(int *rounds, const int *x)
{
    __shared__ int left[128];
    int t = threadIdx.x, k = 0;
    unsigned mask = 0xffu << (t % 32 / 8 * 8);
    left[t] = x[t];
    __syncwarp(mask);
    for (;; k++) {                      /* each round for another lane */
        int at = t / 8 * 8 + (t + k) % 8, v = left[at];
        if (!__any_sync(mask, v > 0))
            break;
        int least = smallest(mask, v > 0 ? v : 1 << 30);
        left[at] = v > 0 ? v - least : 0;
        __syncwarp(mask);
    }
    rounds[t] = k;
}

int main(void)
{
    enum { N = 128 };
    int x[N], got[N], *y = zeroes<int>(N);
    for (int i = 0; i < N; i++)
        x[i] = (int)(noise(i) % (i / 8 % 5 * 4 + 1));
    countdown<<<1, N>>>(y, device(x, N));
    fetch(got, y, N);
    for (int i = 0; i < N; i++) {               /* as many as values */
        int values = 0;
        for (int v = 1; v < 32; v++) {
            bool found = false;
            for (int k = i / 8 * 8; k < i / 8 * 8 + 8; k++)
                found |= x[k] == v;
            values += found;
        }
        same("rounds", i, got[i], values);
    }
    return done();
}
