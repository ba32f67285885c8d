// A counter that stops at 255, and bytes that are added to within a word,
// both by compare-and-swap.
// CUDA C++ Programming Guide, Atomic Functions: any operation can be made of
// atomicCAS.
#include "idiom.h"

static __device__ unsigned add_to_255(unsigned *p, unsigned v)
{
    unsigned old = atomicAdd(p, 0), seen;
    do {
        seen = old;
        old = atomicCAS(p, seen, min(seen + v, 255u));
    } while (old != seen);
    return old;
}

static __device__ void add_byte(unsigned *words, int i, unsigned v)
{
    unsigned *p = words + i / 4, old = atomicOr(p, 0), seen;
    int at = i % 4 * 8;
    do {
        seen = old;
        unsigned byte = min((seen >> at & 255) + v, 255u);
        old = atomicCAS(p, seen, (seen & ~(255u << at)) | byte << at);
    } while (old != seen);
}

enum { BINS = 23 };

__global__ void count(unsigned *bins, unsigned *bytes, unsigned *full,
                      const unsigned *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (add_to_255(&bins[x[i] % BINS], x[i] >> 20) == 255)
            atomicAdd(full, 1);
        add_byte(bytes, (int)(x[i] % BINS), x[i] >> 20);
    }
}

int main(void)
{
    enum { N = 500 };
    unsigned x[N], bins[BINS], want[BINS] = { 0 }, full;
    unsigned char bytes[24];
    for (int i = 0; i < N; i++) {
        x[i] = noise(i) % 1000 + (noise(i) % 40 << 20);
        int b = (int)(x[i] % BINS);
        want[b] = want[b] + (x[i] >> 20) > 255 ? 255 : want[b] + (x[i] >> 20);
    }
    unsigned *db = zeroes<unsigned>(BINS), *dy = zeroes<unsigned>(6);
    unsigned *df = zeroes<unsigned>(1);
    count<<<4, 128>>>(db, dy, df, device(x, N), N);
    fetch(bins, db, BINS);
    fetch((unsigned *)bytes, dy, 6);
    fetch(&full, df, 1);
    all_same("bin", bins, want, BINS);
    for (int i = 0; i < BINS; i++)
        same("byte", i, (unsigned)bytes[i], want[i]);
    same("some were full", 0, full > 0, true);
    return done();
}
