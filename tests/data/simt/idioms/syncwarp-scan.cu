// A scan of each warp in shared memory with __syncwarp, the last warp of the
// block incomplete.
// Programming Massively Parallel Processors, Kogge-Stone scan; programming
// guide, __syncwarp.
#include "idiom.h"

__global__ void scan(int *y, const int *x, int n)
{
    __shared__ int s[288];
    int t = threadIdx.x, l = t % 32;
    s[t] = x[t];
    for (int d = 1; d < 32; d *= 2) {
        __syncwarp();
        int v = l >= d ? s[t - d] : 0;
        __syncwarp();
        s[t] += v;
    }
    __syncwarp();
    y[t] = s[t] + s[min(t - l + 31, n - 1)];
}

int main(void)
{
    const int sizes[] = { 1, 33, 57, 257 };
    int x[257], got[257];
    for (int n : sizes) {
        for (int i = 0; i < n; i++)
            x[i] = (int)(noise(i + n) % 100);
        int *y = zeroes<int>(n);
        scan<<<1, n>>>(y, device(x, n), n);
        fetch(got, y, n);
        for (int i = 0; i < n; i++) {
            int sum = 0, all = 0;
            for (int k = i / 32 * 32; k < n && k < i / 32 * 32 + 32; k++) {
                sum += k <= i ? x[k] : 0;
                all += x[k];
            }
            same("prefix", i, got[i], sum + all);
        }
    }
    return done();
}
