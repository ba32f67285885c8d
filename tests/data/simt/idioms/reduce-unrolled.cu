// The last steps unrolled for one warp: with __syncwarp between reading and
// writing, and with shuffles; each thread first adds many elements.
// Harris, Optimizing Parallel Reduction in CUDA (NVIDIA), kernels 5 and 6,
// in the form that holds since Volta; cuda-samples, reduction.
#include "idiom.h"

template <int T, bool SHUFFLE>
__global__ void sum(int *y, const int *x, int n)
{
    __shared__ int s[T];
    int t = threadIdx.x, v = 0;
    for (int i = blockIdx.x * T + t; i < n; i += gridDim.x * T)
        v += x[i];
    s[t] = v;
    __syncthreads();
    if (T >= 512) {
        if (t < 256)
            s[t] = v += s[t + 256];
        __syncthreads();
    }
    if (T >= 256) {
        if (t < 128)
            s[t] = v += s[t + 128];
        __syncthreads();
    }
    if (T >= 128) {
        if (t < 64)
            s[t] = v += s[t + 64];
        __syncthreads();
    }
    if (t >= 32)
        return;
    v += s[t + 32];
    #pragma unroll
    for (int d = 16; d > 0; d /= 2)
        if (SHUFFLE) {
            v += __shfl_down_sync(ALL, v, d);
        } else {
            s[t] = v;
            __syncwarp();
            v += s[(t + d) % 32];
            __syncwarp();
        }
    if (t == 0)
        y[blockIdx.x] = v;
}

template <int T, bool SHUFFLE> static void test(const int *h, int n, int want)
{
    enum { BLOCKS = 3 };
    int got[BLOCKS], *y = zeroes<int>(BLOCKS), all = 0;
    sum<T, SHUFFLE><<<BLOCKS, T>>>(y, device(h, n), n);
    fetch(got, y, BLOCKS);
    for (int b = 0; b < BLOCKS; b++)
        all += got[b];
    same("sum with threads", T, all, want);
}

int main(void)
{
    enum { N = 4567 };
    static int x[N];
    int want = 0;
    for (int i = 0; i < N; i++)
        want += x[i] = (int)(noise(i) % 3000) - 1000;
    test<64, false>(x, N, want);
    test<128, true>(x, N, want);
    test<256, false>(x, N, want);
    test<512, true>(x, N, want);
    test<512, false>(x, N, want);
    return done();
}
