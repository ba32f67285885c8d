// Reduction by shuffles downwards over 57 elements: the mask names only the
// lanes that have one, and no lane takes from one that has none.
// NVIDIA blog, Using CUDA Warp-Level Primitives, listing 2 (mask from a
// ballot before the branch).
#include "idiom.h"

__global__ void sum(float *y, const float *x, int n)
{
    int t = threadIdx.x, lane = t % 32;
    unsigned mask = __ballot_sync(ALL, t < n);
    if (t < n) {
        int lanes = __popc(mask);
        float v = x[t];
        for (int d = 16; d > 0; d /= 2) {
            float u = __shfl_down_sync(mask, v, d);
            if (lane + d < lanes)
                v += u;
        }
        if (lane == 0)
            atomicAdd(y, v);
    }
}

int main(void)
{
    const int sizes[] = { 1, 31, 33, 57, 64, 257, 500 };
    float x[512];
    for (int n : sizes) {
        float want = 0, got;
        for (int i = 0; i < n; i++)
            want += x[i] = (float)(noise(i * n) % 200) - 50;
        float *y = zeroes<float>(1);
        sum<<<1, 512>>>(y, device(x, n), n);
        fetch(&got, y, 1);
        same("sum of", n, got, want);
    }
    return done();
}
