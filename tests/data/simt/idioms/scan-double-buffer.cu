// The scan of Hillis and Steele in shared memory with two buffers, so that
// one barrier a step is enough.
// GPU Gems 3, chapter 39 (Harris, Sengupta, Owens), naive parallel scan;
// Programming Massively Parallel Processors, Kogge-Stone.
#include "idiom.h"

__global__ void scan(int *y, const int *x)
{
    extern __shared__ int s[];
    int t = threadIdx.x, n = blockDim.x, from = 0;
    s[t] = x[blockIdx.x * n + t];
    for (int d = 1; d < n; d *= 2) {
        __syncthreads();
        s[(1 - from) * n + t] = s[from * n + t]
                                + (t >= d ? s[from * n + t - d] : 0);
        from = 1 - from;
    }
    y[blockIdx.x * n + t] = s[from * n + t];
}

int main(void)
{
    const int sizes[] = { 1, 33, 57, 257, 1024 };
    enum { B = 2 };
    static int x[B * 1024], got[B * 1024], want[B * 1024];
    for (int n : sizes) {
        for (int i = 0; i < B * n; i++) {
            x[i] = (int)(noise(i + n) % 1000) - 300;
            want[i] = x[i] + (i % n ? want[i - 1] : 0);
        }
        int *y = zeroes<int>(B * n);
        scan<<<B, n, 2 * n * sizeof(int)>>>(y, device(x, B * n));
        fetch(got, y, B * n);
        all_same("prefix", got, want, B * n);
    }
    return done();
}
