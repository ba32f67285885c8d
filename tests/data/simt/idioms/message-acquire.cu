// A message by a store that releases and a load that acquires, as PTX has
// them, without fences; and a ticket that does both.
// PTX ISA, ld.acquire, st.release, atom.acq_rel, Memory Consistency Model;
// CUB's look-back uses such loads and stores.
#include "idiom.h"

static __device__ int load_acquire(const int *p)
{
    int v;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];"
                 : "=r"(v) : "l"(p) : "memory");
    return v;
}

static __device__ void store_release(int *p, int v)
{
    asm volatile("st.release.gpu.global.s32 [%0], %1;"
                 :: "l"(p), "r"(v) : "memory");
}

static __device__ int add_acq_rel(int *p, int v)
{
    int old;
    asm volatile("atom.acq_rel.gpu.global.add.s32 %0, [%1], %2;"
                 : "=r"(old) : "l"(p), "r"(v) : "memory");
    return old;
}

enum { BLOCKS = 5, T = 64 };

__global__ void pass(int *data, int *flags, int *ticket, int *y,
                     const int *x)
{
    __shared__ int block, last;
    int t = threadIdx.x;
    if (t == 0)
        block = atomicAdd(ticket, 1);
    __syncthreads();
    int b = block, before = 0;
    if (b > 0) {                        /* every thread waits for itself */
        while (load_acquire(&flags[(b - 1) * T + T - 1 - t]) == 0)
            ;
        before = data[(b - 1) * T + T - 1 - t];
    }
    data[b * T + t] = before * 3 + x[t];
    store_release(&flags[b * T + t], 1);
    __syncthreads();
    if (t == 0)
        last = add_acq_rel(&ticket[1], 1) == BLOCKS - 1;
    __syncthreads();
    if (last) {
        int sum = 0;
        for (int k = 0; k < BLOCKS; k++)
            sum += data[k * T + t];
        y[t] = sum;
    }
}

int main(void)
{
    int x[T], got[T], v[T] = { 0 }, sum[T] = { 0 }, *y = zeroes<int>(T);
    for (int i = 0; i < T; i++)
        x[i] = (int)(noise(i) % 100);
    pass<<<BLOCKS, T>>>(zeroes<int>(BLOCKS * T), zeroes<int>(BLOCKS * T),
                        zeroes<int>(2), y, device(x, T));
    fetch(got, y, T);
    for (int b = 0; b < BLOCKS; b++) {
        int w[T];
        for (int t = 0; t < T; t++)
            sum[t] += w[t] = v[T - 1 - t] * 3 + x[t];
        memcpy(v, w, sizeof v);
    }
    all_same("thread", got, sum, T);
    return done();
}
