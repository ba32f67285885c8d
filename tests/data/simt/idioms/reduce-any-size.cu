// A block of any size: warps reduce by shuffles, then every thread adds their
// sums; a last warp that is not full takes part with the lanes it has.
// llm.c, dev/cuda, blockReduce; Harris, Faster Parallel Reductions on Kepler
// (NVIDIA blog), blockReduceSum.
#include "idiom.h"

static __device__ int reduce_block(int v)
{
    __shared__ int s[32];
    int t = threadIdx.x, lane = t % 32, warps = (blockDim.x + 31) / 32;
    int lanes = min(32, (int)blockDim.x - t / 32 * 32);
    unsigned here = lanes == 32 ? ALL : (1u << lanes) - 1;
    for (int d = 16; d > 0; d /= 2) {
        int u = __shfl_down_sync(here, v, d);
        v += lane + d < lanes ? u : 0;
    }
    __syncthreads();                    /* s may be in use by a call before */
    if (lane == 0)
        s[t / 32] = v;
    __syncthreads();
    v = 0;
    for (int w = 0; w < warps; w++)     /* every thread, for all to have it */
        v += s[w];
    return v;
}

__global__ void variance(int *y, const int *x)
{
    int v = x[blockIdx.x * blockDim.x + threadIdx.x];
    int sum = reduce_block(v), squares = reduce_block(v * v);
    if (threadIdx.x == blockDim.x - 1) {
        y[2 * blockIdx.x] = sum;
        y[2 * blockIdx.x + 1] = squares;
    }
}

int main(void)
{
    const int sizes[] = { 1, 31, 33, 57, 96, 257, 1000 };
    enum { B = 3 };
    static int x[B * 1000];
    for (int n : sizes) {
        int got[2 * B], want[2 * B] = { 0 }, *y = zeroes<int>(2 * B);
        for (int i = 0; i < B * n; i++) {
            x[i] = (int)(noise(i * n) % 200) - 70;
            want[i / n * 2] += x[i];
            want[i / n * 2 + 1] += x[i] * x[i];
        }
        variance<<<B, n>>>(y, device(x, B * n));
        fetch(got, y, 2 * B);
        all_same("sums", got, want, 2 * B);
    }
    return done();
}
