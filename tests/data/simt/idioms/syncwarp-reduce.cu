// A warp adds 64 numbers in shared memory, with __syncwarp between reading
// and writing, and between the steps.
// NVIDIA blog, Using CUDA Warp-Level Primitives, on __syncwarp; the repair
// of the warp-synchronous step of cuda-samples' reduction.
#include "idiom.h"

__global__ void sum(int *y, const int *x)
{
    __shared__ int s[4][64];
    int warp = threadIdx.x / 32, l = threadIdx.x % 32;
    int *a = s[warp];
    a[l] = x[64 * warp + l];
    a[l + 32] = x[64 * warp + l + 32];
    __syncwarp();
    for (int d = 32; d > 0; d /= 2) {
        int v = a[l] + a[(l + d) % 64];
        __syncwarp();
        if (l < d)
            a[l] = v;
        __syncwarp();
    }
    if (l == 7)
        y[warp] = a[0];
}

__global__ void sum_lower(int *y, const int *x)     /* the lower lanes */
{
    __shared__ int s[4][64];
    int warp = threadIdx.x / 32, l = threadIdx.x % 32;
    int *a = s[warp], v = x[64 * warp + l] + x[64 * warp + l + 32];
    a[l] = v;
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
        if (l < d)
            a[l] = v += a[l + d];       /* nobody else writes these two */
        __syncwarp();
    }
    if (l == 31)
        y[warp] = a[0];
}

int main(void)
{
    enum { W = 4, N = 64 * W };
    int x[N], got[W], *y = zeroes<int>(W);
    for (int i = 0; i < N; i++)
        x[i] = (int)(noise(i) % 1000);
    for (int form = 0; form < 2; form++) {
        if (form == 0)
            sum<<<1, 32 * W>>>(y, device(x, N));
        else
            sum_lower<<<1, 32 * W>>>(y, device(x, N));
        fetch(got, y, W);
        for (int w = 0; w < W; w++) {
            int want = 0;
            for (int i = 0; i < 64; i++)
                want += x[64 * w + i];
            same("sum of warp", w, got[w], want);
        }
    }
    return done();
}
