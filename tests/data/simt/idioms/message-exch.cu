// A message from one block to the next: data, fence, flag by atomicExch; the
// reader polls by an atomic, fences, reads.  Block numbers come from a
// counter, so that who waits knows that the other has begun.
// CUDA C++ Programming Guide, Memory Fence Functions; PTX ISA, Memory
// Consistency Model, message passing.
#include "idiom.h"

enum { BLOCKS = 6, WORDS = 40 };

__global__ void pass(int *data, int *flags, int *y, int *next, const int *x)
{
    __shared__ int block;
    int t = threadIdx.x;
    if (t == 0)
        block = atomicAdd(next, 1);
    __syncthreads();
    int b = block, v = 0;
    if (b > 0) {
        if (t == 0) {
            while (atomicAdd(&flags[b - 1], 0) == 0)
                ;
            __threadfence();
        }
        __syncthreads();
        if (t < WORDS)
            y[b * WORDS + t] = v = data[(b - 1) * WORDS + WORDS - 1 - t];
    }
    if (t < WORDS)
        data[b * WORDS + t] = v * 3 + x[t] + b;
    __syncthreads();
    if (t == 0) {
        __threadfence();
        atomicExch(&flags[b], 1);
    }
}

int main(void)
{
    enum { N = BLOCKS * WORDS };
    int x[WORDS], got[N], v[WORDS] = { 0 };
    for (int i = 0; i < WORDS; i++)
        x[i] = (int)(noise(i) % 100);
    int *y = zeroes<int>(N);
    pass<<<BLOCKS, 57>>>(zeroes<int>(N), zeroes<int>(BLOCKS), y,
                         zeroes<int>(1), device(x, WORDS));
    fetch(got, y, N);
    for (int b = 0; b < BLOCKS; b++) {
        all_same("message to block", got + b * WORDS, v, WORDS);
        int w[WORDS];
        for (int i = 0; i < WORDS; i++)
            w[WORDS - 1 - i] = v[i] * 3 + x[i] + b;
        memcpy(v, w, sizeof v);
    }
    return done();
}
