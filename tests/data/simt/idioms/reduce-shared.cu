// Sums of a block in shared memory, in the shapes that lectures go through:
// interleaved with a modulus, interleaved with a stride, sequential, and
// with the first addition while loading.
// Harris, Optimizing Parallel Reduction in CUDA (NVIDIA); cuda-samples,
// reduction, kernels 0 to 3.
#include "idiom.h"

template <int SHAPE, int T>
__global__ void sum(int *y, const int *x, int n)
{
    __shared__ int s[T];
    int t = threadIdx.x, i = blockIdx.x * T * (SHAPE == 3 ? 2 : 1) + t;
    s[t] = i < n ? x[i] : 0;
    if (SHAPE == 3 && i + T < n)
        s[t] += x[i + T];
    __syncthreads();
    if (SHAPE < 2)
        for (int d = 1; d < T; d *= 2) {
            int at = SHAPE == 0 ? t : 2 * d * t;
            if (at % (2 * d) == 0 && at + d < T)
                s[at] += s[at + d];
            __syncthreads();
        }
    else
        for (int d = T / 2; d > 0; d /= 2) {
            if (t < d)
                s[t] += s[t + d];
            __syncthreads();
        }
    if (t == 0)
        y[blockIdx.x] = s[0];
}

template <int SHAPE, int T> static void test(const int *h, int n)
{
    int each = SHAPE == 3 ? 2 * T : T, blocks = (n + each - 1) / each;
    int got[64], *y = zeroes<int>(64);
    sum<SHAPE, T><<<blocks, T>>>(y, device(h, n), n);
    fetch(got, y, 64);
    for (int b = 0; b < blocks; b++) {
        int want = 0;
        for (int i = b * each; i < n && i < (b + 1) * each; i++)
            want += h[i];
        same("sum of block", b, got[b], want);
    }
}

int main(void)
{
    enum { N = 3001 };
    static int x[N];
    for (int i = 0; i < N; i++)
        x[i] = (int)(noise(i) % 3000) - 1000;
    test<0, 57>(x, N);                      /* these need no power of 2 */
    test<0, 256>(x, N);
    test<1, 57>(x, N);
    test<1, 256>(x, N);
    test<2, 64>(x, N);
    test<2, 256>(x, N);
    test<3, 64>(x, N);
    test<3, 512>(x, N);
    return done();
}
