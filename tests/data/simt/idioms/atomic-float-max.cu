// The largest of floats, by compare-and-swap in a loop that ends when there
// is nothing to improve, and by the order of their bits as integers.
// CUDA C++ Programming Guide, Atomic Functions: any operation can be made of
// atomicCAS; the second form is known from radix sorts of floats.
#include "idiom.h"

static __device__ void largest(float *p, float v)
{
    int *bits = (int *)p, old = *(volatile int *)bits;
    while (__int_as_float(old) < v) {
        int seen = old;
        old = atomicCAS(bits, seen, __float_as_int(v));
        if (old == seen)
            break;
    }
}

static __device__ void largest_bits(float *p, float v)
{
    if (v >= 0)
        atomicMax((int *)p, __float_as_int(v));
    else
        atomicMin((unsigned *)p, __float_as_uint(v));
}

__global__ void reduce(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        largest(&y[blockIdx.x], x[i]);
        largest_bits(&y[gridDim.x + blockIdx.x], x[i]);
    }
}

int main(void)
{
    enum { N = 333, T = 96, B = (N + T - 1) / T };
    float x[N], got[2 * B], want[B];
    for (int i = 0; i < 2 * B; i++)
        got[i] = -1e30f;
    for (int b = 0; b < B; b++)
        want[b] = -1e30f;
    for (int i = 0; i < N; i++) {       /* one block has no positive one */
        x[i] = (float)(int)(noise(i) % 2000) / 7 - (i / T == 1 ? 400 : 100);
        want[i / T] = fmaxf(want[i / T], x[i]);
    }
    float *y = device(got, 2 * B);
    reduce<<<B, T>>>(y, device(x, N), N);
    fetch(got, y, 2 * B);
    all_same("by CAS", got, want, B);
    all_same("by bits", got + B, want, B);
    return done();
}
