// Warp-aggregated increment: the lanes that happen to be together elect a
// leader, who adds for all.  Right however the lanes are grouped.
// NVIDIA blog, CUDA Pro Tip: Optimized Filtering with Warp-Aggregated
// Atomics; Using CUDA Warp-Level Primitives, opportunistic programming.
#include "idiom.h"

static __device__ int increment(int *counter)
{
    unsigned mask = __activemask();
    int leader = __ffs(mask) - 1, lane = threadIdx.x % 32, first;
    if (lane == leader)
        first = atomicAdd(counter, __popc(mask));
    first = __shfl_sync(mask, first, leader);
    return first + __popc(mask & ((1u << lane) - 1));
}

__global__ void filter(int *y, int *n, const int *x, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size && x[i] % 3 == 0)
        y[increment(n)] = x[i];
}

int main(void)
{
    enum { N = 1000 };
    int x[N], got[N], want[N], n = 0, count;
    for (int i = 0; i < N; i++) {
        x[i] = (int)(noise(i) % 9000);
        if (x[i] % 3 == 0)
            want[n++] = x[i];
    }
    int *y = zeroes<int>(N), *dn = zeroes<int>(1);
    filter<<<8, 128>>>(y, dn, device(x, N), N);
    fetch(&count, dn, 1);
    fetch(got, y, N);
    same("count", 0, count, n);
    for (int i = 0; i < n; i++) {           /* the same ones, in any order */
        int a = 0, b = 0;
        for (int k = 0; k < n; k++) {
            a += got[k] == want[i];
            b += want[k] == want[i];
        }
        same("times", want[i], a, b);
    }
    return done();
}
