// Arrive and wait apart: each thread arrives at a barrier in shared memory,
// works on something of its own, and then waits for the phase to end.
// CUDA C++ Programming Guide, Asynchronous Barrier; PTX ISA, mbarrier.
#include "idiom.h"

typedef unsigned long long Barrier;

static __device__ unsigned address(Barrier *b)
{
    return (unsigned)__cvta_generic_to_shared(b);
}

static __device__ void init(Barrier *b, int count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;"
                 :: "r"(address(b)), "r"(count) : "memory");
}

static __device__ Barrier arrive(Barrier *b)
{
    Barrier state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                 : "=l"(state) : "r"(address(b)) : "memory");
    return state;
}

static __device__ void wait(Barrier *b, Barrier state)
{
    int over;
    do
        asm volatile("{ .reg .pred p;\n"
                     "mbarrier.test_wait.shared.b64 p, [%1], %2;\n"
                     "selp.s32 %0, 1, 0, p; }"
                     : "=r"(over) : "r"(address(b)), "l"(state) : "memory");
    while (!over);
}

__global__ void mix(int *y, const int *x, int rounds)
{
    __shared__ Barrier barrier;
    __shared__ int s[2][96];
    int t = threadIdx.x, own = 1;
    if (t == 0)
        init(&barrier, 96);
    s[0][t] = x[t];
    __syncthreads();
    for (int k = 0; k < rounds; k++) {
        s[(k + 1) % 2][t] = s[k % 2][(t + 45) % 96] * 3 % 10007 + own;
        Barrier state = arrive(&barrier);
        own = own * 5 % 101;            /* while the others arrive */
        wait(&barrier, state);
    }
    y[t] = s[rounds % 2][t];
}

int main(void)
{
    enum { T = 96, ROUNDS = 6 };
    int x[T], got[T], v[T], own = 1, *y = zeroes<int>(T);
    for (int i = 0; i < T; i++)
        x[i] = (int)(noise(i) % 1000);
    mix<<<1, T>>>(y, device(x, T), ROUNDS);
    fetch(got, y, T);
    for (int k = 0; k < ROUNDS; k++, own = own * 5 % 101) {
        for (int t = 0; t < T; t++)
            v[t] = x[(t + 45) % T] * 3 % 10007 + own;
        memcpy(x, v, sizeof v);
    }
    all_same("thread", got, x, T);
    return done();
}
