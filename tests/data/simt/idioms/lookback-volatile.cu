// A scan in one pass: each tile publishes its sum, then its prefix, and looks
// back over the tiles before it; status and value in separate arrays, with
// fences between.
// Merrill and Garland, Single-pass parallel prefix scan with decoupled
// look-back (NVIDIA, 2016); CUB, DeviceScan.
#include "idiom.h"

enum { T = 64, EMPTY = 0, SUM = 1, PREFIX = 2 };

__global__ void scan(int *y, volatile int *status, int *sums, int *prefixes,
                     int *next, const int *x, int n)
{
    __shared__ int tile, half, before;
    int t = threadIdx.x, lane = t % 32;
    if (t == 0)
        tile = atomicAdd(next, 1);
    __syncthreads();
    int k = tile, i = k * T + t, v = i < n ? x[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(ALL, v, d);
        v += lane >= d ? u : 0;
    }
    if (t == 31)
        half = v;
    __syncthreads();
    v += t >= 32 ? half : 0;
    if (t == T - 1) {                   /* has the sum of the tile */
        sums[k] = v;
        __threadfence();
        status[k] = SUM;
        int b = 0;
        for (int j = k - 1; j >= 0; j--) {
            int s;
            while ((s = status[j]) == EMPTY)
                ;
            __threadfence();
            b += s == PREFIX ? prefixes[j] : sums[j];
            if (s == PREFIX)
                break;
        }
        prefixes[k] = b + v;
        __threadfence();
        status[k] = PREFIX;
        before = b;
    }
    __syncthreads();
    if (i < n)
        y[i] = before + v;
}

int main(void)
{
    enum { N = 1500, TILES = (N + T - 1) / T };
    int x[N], got[N], want[N];
    for (int i = 0; i < N; i++) {
        x[i] = (int)(noise(i) % 1000) - 350;
        want[i] = x[i] + (i ? want[i - 1] : 0);
    }
    int *y = zeroes<int>(N);
    scan<<<TILES, T>>>(y, zeroes<int>(TILES), zeroes<int>(TILES),
                       zeroes<int>(TILES), zeroes<int>(1), device(x, N), N);
    fetch(got, y, N);
    all_same("prefix", got, want, N);
    return done();
}
