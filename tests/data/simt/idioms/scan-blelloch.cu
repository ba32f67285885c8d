// The scan of Blelloch: sums up a tree in shared memory, and down again, two
// elements a thread, with padding against bank conflicts.
// GPU Gems 3, chapter 39, work-efficient scan; Blelloch, Prefix Sums and
// Their Applications.
#include "idiom.h"

static __device__ int padded(int i) { return i + i / 32; }

template <int N> __global__ void scan(int *y, const int *x, int n)
{
    __shared__ int s[N + N / 32];
    int t = threadIdx.x, base = blockIdx.x * n;
    s[padded(t)] = t < n ? x[base + t] : 0;
    s[padded(t + N / 2)] = t + N / 2 < n ? x[base + t + N / 2] : 0;
    int d = 1;
    for (int k = N / 2; k > 0; k /= 2, d *= 2) {
        __syncthreads();
        if (t < k)
            s[padded(d * (2 * t + 2) - 1)] += s[padded(d * (2 * t + 1) - 1)];
    }
    if (t == 0)
        s[padded(N - 1)] = 0;
    for (int k = 1; k < N; k *= 2) {
        d /= 2;
        __syncthreads();
        if (t < k) {
            int a = padded(d * (2 * t + 1) - 1);
            int b = padded(d * (2 * t + 2) - 1);
            int v = s[a];
            s[a] = s[b];
            s[b] += v;
        }
    }
    __syncthreads();
    if (t < n)
        y[base + t] = s[padded(t)];
    if (t + N / 2 < n)
        y[base + t + N / 2] = s[padded(t + N / 2)];
}

template <int N> static void test(int n)
{
    enum { B = 3 };
    static int x[B * N], got[B * N], want[B * N];
    for (int i = 0; i < B * n; i++) {
        x[i] = (int)(noise(i + n) % 1000) - 300;
        want[i] = i % n ? want[i - 1] + x[i - 1] : 0;
    }
    int *y = zeroes<int>(B * n);
    scan<N><<<B, N / 2>>>(y, device(x, B * n), n);
    fetch(got, y, B * n);
    all_same("prefix", got, want, B * n);
}

int main(void)
{
    test<64>(57);
    test<64>(64);
    test<512>(257);
    test<1024>(1000);
    return done();
}
