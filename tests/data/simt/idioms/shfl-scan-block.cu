// A scan of a block: each warp by shuffles, then the sums of the warps by
// one warp.
// cuda-samples, shfl_scan; Programming Massively Parallel Processors,
// chapter on prefix sum.
#include "idiom.h"

static __device__ int scan_warp(int v)
{
    int lane = threadIdx.x % 32;
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(ALL, v, d);
        v += lane >= d ? u : 0;
    }
    return v;
}

__global__ void scan(int *y, const int *x, int n)
{
    __shared__ int sums[32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int v = scan_warp(t < n ? x[blockIdx.x * n + t] : 0);
    if (lane == 31)
        sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int s = lane < (int)blockDim.x / 32 ? sums[lane] : 0;
        s = scan_warp(s);
        sums[lane] = s;
    }
    __syncthreads();
    if (t < n)
        y[blockIdx.x * n + t] = v + (warp ? sums[warp - 1] : 0);
}

int main(void)
{
    const int sizes[] = { 1, 33, 257, 1000 };
    int x[3000], got[3000], want[3000];
    for (int n : sizes) {
        for (int i = 0; i < 3 * n; i++) {
            x[i] = (int)(noise(i + n) % 1000) - 300;
            want[i] = x[i] + (i % n ? want[i - 1] : 0);
        }
        int *y = zeroes<int>(3 * n);
        scan<<<3, (n + 31) / 32 * 32>>>(y, device(x, 3 * n), n);
        fetch(got, y, 3 * n);
        all_same("prefix", got, want, 3 * n);
    }
    return done();
}
