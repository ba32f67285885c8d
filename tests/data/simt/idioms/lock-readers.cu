// A lock for many readers or one writer: a count of readers, or -1.
// Raynal, Concurrent Programming, readers and writers; atomics as in the
// CUDA C++ Programming Guide.
#include "idiom.h"

static __device__ void begin_read(int *state)
{
    for (;;) {
        int s = atomicAdd(state, 0);
        if (s >= 0 && atomicCAS(state, s, s + 1) == s)
            break;
    }
    __threadfence();
}

static __device__ void end_read(int *state)
{
    __threadfence();
    atomicSub(state, 1);
}

static __device__ void begin_write(int *state)
{
    while (atomicCAS(state, 0, -1) != 0)
        ;
    __threadfence();
}

static __device__ void end_write(int *state)
{
    __threadfence();
    atomicExch(state, 0);
}

__global__ void work(int *state, int *account, int *torn, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < rounds; k++)
        if ((i + k) % 5 == 0) {
            begin_write(state);
            account[0] -= i;
            account[1] += i;
            end_write(state);
        } else {
            begin_read(state);
            int sum = account[0] + account[1];
            end_read(state);
            if (sum != 1000)
                atomicAdd(torn, 1);
        }
}

int main(void)
{
    enum { BLOCKS = 2, T = 57, ROUNDS = 4 };
    int start[2] = { 700, 300 }, torn, moved = 0;
    for (int i = 0; i < BLOCKS * T; i++)
        for (int k = 0; k < ROUNDS; k++)
            moved += (i + k) % 5 == 0 ? i : 0;
    int *account = device(start, 2), *dt = zeroes<int>(1);
    work<<<BLOCKS, T>>>(zeroes<int>(1), account, dt, ROUNDS);
    fetch(start, account, 2);
    fetch(&torn, dt, 1);
    same("torn reads", 0, torn, 0);
    same("account", 0, start[0], 700 - moved);
    same("account", 1, start[1], 300 + moved);
    return done();
}
