// Addition of doubles by compare-and-swap on their bits, begun with a plain
// read.
// CUDA C++ Programming Guide, Atomic Functions, the listing of atomicAdd for
// double on devices before compute capability 6.0.
#include "idiom.h"

static __device__ double add(double *p, double v)
{
    unsigned long long *bits = (unsigned long long *)p, old = *bits, seen;
    do {
        seen = old;
        old = atomicCAS(bits, seen, (unsigned long long)__double_as_longlong(
                            v + __longlong_as_double((long long)seen)));
    } while (old != seen);              /* bits, for NaN is not equal to NaN */
    return __longlong_as_double((long long)old);
}

__global__ void sum(double *y, double *before, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        before[i] = add(&y[i % 3], x[i]);
}

int main(void)
{
    enum { N = 300 };
    double x[N], got[3], before[N], want[3] = { 0 };
    for (int i = 0; i < N; i++)
        want[i % 3] += x[i] = (double)(noise(i) % 1000 + 1) / 1024;
    double *y = zeroes<double>(3), *db = zeroes<double>(N);
    sum<<<3, 128>>>(y, db, device(x, N), N);
    fetch(got, y, 3);
    fetch(before, db, N);
    all_same("sum", got, want, 3);
    for (int k = 0; k < 3; k++) {       /* one chain from 0 to the sum */
        double at = 0;
        for (int steps = 0; steps < N / 3; steps++) {
            int i = k;
            while (i < N && before[i] != at)
                i += 3;
            same("somebody began with", (int)at, i < N, true);
            at += x[i];
        }
        same("end of chain", k, at, want[k]);
    }
    return done();
}
