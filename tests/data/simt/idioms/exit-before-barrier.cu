// Warps without work return before the barriers of the others: since Volta a
// barrier waits for the threads that have not exited.
// CUDA C++ Programming Guide, compute capability 7.x, Independent Thread
// Scheduling: __syncthreads "until reached by all non-exited threads".
#include "idiom.h"

__global__ void reverse(int *y, const int *x, int n)
{
    __shared__ int s[288];
    int t = threadIdx.x;
    if (t / 32 * 32 >= n)
        return;                         /* whole warps */
    if (t < n)
        s[t] = x[blockIdx.x * n + t];
    __syncthreads();
    if (t >= n)
        return;                         /* lanes of the last warp */
    int v = s[n - 1 - t];
    __syncthreads();
    s[t] = v + t;
    __syncthreads();
    y[blockIdx.x * n + t] = s[(t + 40) % n];
}

int main(void)
{
    const int sizes[] = { 1, 32, 33, 100, 257 };
    enum { B = 2 };
    int x[B * 257], got[B * 257];
    for (int n : sizes) {
        for (int i = 0; i < B * n; i++)
            x[i] = (int)(noise(i) % 1000);
        int *y = zeroes<int>(B * n);
        reverse<<<B, 288>>>(y, device(x, B * n), n);
        fetch(got, y, B * n);
        for (int i = 0; i < B * n; i++) {
            int from = (i % n + 40) % n;
            same("element", i, got[i], x[i / n * n + n - 1 - from] + from);
        }
    }
    return done();
}
