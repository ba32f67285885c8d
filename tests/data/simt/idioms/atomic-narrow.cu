// 16-bit counters two to a word, each changed by a compare-and-swap of 16
// bits: neighbours do not disturb each other.
// CUDA C++ Programming Guide, Atomic Functions, atomicCAS for unsigned
// short (compute capability 7.x and higher).
#include "idiom.h"

static __device__ void add(unsigned short *p, unsigned v)
{
    unsigned short old = *(volatile unsigned short *)p, seen;
    do {
        seen = old;
        old = atomicCAS(p, seen, (unsigned short)(seen + v));
    } while (old != seen);
}

enum { BINS = 9 };

__global__ void count(unsigned short *bins, const int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        add(&bins[x[i] % BINS], x[i]);
}

int main(void)
{
    enum { N = 300 };
    int x[N];
    unsigned short got[BINS], want[BINS] = { 0 };
    for (int i = 0; i < N; i++) {
        x[i] = (int)(noise(i) % 5000);          /* the sums wrap around */
        want[x[i] % BINS] = (unsigned short)(want[x[i] % BINS] + x[i]);
    }
    unsigned short *bins = zeroes<unsigned short>(BINS);
    count<<<3, 128>>>(bins, device(x, N), N);
    fetch(got, bins, BINS);
    all_same("bin", got, want, BINS);
    return done();
}
