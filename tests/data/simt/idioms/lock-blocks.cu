// One thread of each block takes a lock, the block works under it between
// barriers, and the thread gives it back: plain data goes from block to
// block under its protection.
// CUDA by Example, appendix A.1, dot product with a lock.
#include "idiom.h"

__global__ void histogram(int *mutex, int *total, const int *x, int n)
{
    __shared__ int bins[40];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < 40)
        bins[t] = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&bins[x[i] % 40], 1);
    __syncthreads();
    if (t == 0) {
        while (atomicCAS(mutex, 0, 1) != 0)
            ;
        __threadfence();
    }
    __syncthreads();
    if (t < 40)
        total[t] += bins[t];
    __syncthreads();
    if (t == 0) {
        __threadfence();
        atomicExch(mutex, 0);
    }
}

__global__ void dot(int *mutex, int *y, const int *a, const int *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int v = __reduce_add_sync(ALL, i < n ? a[i] * b[i] : 0);
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(mutex, 0, 1) != 0)
            ;
        __threadfence();
        *y += v;
        __threadfence();
        atomicExch(mutex, 0);
    }
}

int main(void)
{
    enum { N = 900 };
    int x[N], z[N], bins[40], want[40] = { 0 }, got, sum = 0;
    for (int i = 0; i < N; i++) {
        want[(x[i] = (int)(noise(i) % 500)) % 40]++;
        z[i] = (int)(noise(~i) % 100) - 30;
        sum += x[i] * z[i];
    }
    int *mutex = zeroes<int>(1), *total = zeroes<int>(40);
    int *y = zeroes<int>(1), *dx = device(x, N), *dz = device(z, N);
    histogram<<<(N + 64) / 65, 65>>>(mutex, total, dx, N);
    dot<<<(N + 95) / 96, 96>>>(mutex, y, dx, dz, N);
    fetch(bins, total, 40);
    fetch(&got, y, 1);
    all_same("bin", bins, want, 40);
    same("dot product", 0, got, sum);
    return done();
}
