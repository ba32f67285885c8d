// A stencil with a halo in shared memory, and steps in place with a barrier
// between reading and writing.
// Harris, Finite Difference Methods in CUDA C/C++ (NVIDIA blog);
// Programming Massively Parallel Processors, convolution.
#include "idiom.h"

enum { RADIUS = 3, T = 57 };

__global__ void smooth(int *y, const int *x, int n)
{
    __shared__ int s[T + 2 * RADIUS];
    int t = threadIdx.x, i = blockIdx.x * T + t;
    s[t + RADIUS] = i < n ? x[i] : 0;
    if (t < RADIUS) {
        s[t] = i >= RADIUS ? x[i - RADIUS] : 0;
        s[t + T + RADIUS] = i + T < n ? x[i + T] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += s[t + RADIUS + k] * (4 - abs(k));
    if (i < n)
        y[i] = sum;
}

__global__ void steps(int *y, const int *x, int rounds)     /* one block */
{
    __shared__ int s[T];
    int t = threadIdx.x;
    s[t] = x[t];
    for (int k = 0; k < rounds; k++) {
        __syncthreads();
        int v = s[(t + T - 1) % T] + 2 * s[t] + s[(t + 1) % T];
        __syncthreads();
        s[t] = v % 1009;
    }
    y[t] = s[t];
}

int main(void)
{
    enum { N = 400, ROUNDS = 8 };
    int x[N], got[N], s[T], *y = zeroes<int>(N), *dx;
    for (int i = 0; i < N; i++)
        x[i] = (int)(noise(i) % 1000);
    dx = device(x, N);
    smooth<<<(N + T - 1) / T, T>>>(y, dx, N);
    fetch(got, y, N);
    for (int i = 0; i < N; i++) {
        int sum = 0;
        for (int k = -RADIUS; k <= RADIUS; k++)
            if (i + k >= 0 && i + k < N)
                sum += x[i + k] * (4 - abs(k));
        same("element", i, got[i], sum);
    }
    steps<<<1, T>>>(y, dx, ROUNDS);
    fetch(s, y, T);
    for (int k = 0; k < ROUNDS; k++) {
        int v[T];
        for (int t = 0; t < T; t++)
            v[t] = (x[(t + T - 1) % T] + 2 * x[t] + x[(t + 1) % T]) % 1009;
        memcpy(x, v, sizeof v);
    }
    all_same("after steps", s, x, T);
    return done();
}
