// A lock per lane in the form that works without independent scheduling,
// too: who does not get it goes round once more, with the critical section
// inside the loop.  In global and in shared memory.
// CUDA C++ Programming Guide, atomicCAS; known from Stack Overflow's answers
// on locks within a warp.
#include "idiom.h"

__global__ void count(int *mutex, long long *sum, const int *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool waiting = true;
    while (waiting)
        if (atomicCAS(mutex, 0, 1) == 0) {
            __threadfence();
            sum[0] += x[i];
            sum[1] = sum[0] * 2;
            __threadfence();
            atomicExch(mutex, 0);
            waiting = false;
        }
}

__global__ void count_shared(long long *sum, const int *x)
{
    __shared__ int mutex;
    __shared__ long long s;
    if (threadIdx.x == 0) {
        mutex = 0;
        s = 0;
    }
    __syncthreads();
    for (bool waiting = true; waiting;)
        if (atomicCAS(&mutex, 0, 1) == 0) {
            __threadfence_block();
            s += x[blockIdx.x * blockDim.x + threadIdx.x];
            __threadfence_block();
            atomicExch(&mutex, 0);
            waiting = false;
        }
    __syncthreads();
    if (threadIdx.x == 40)
        sum[blockIdx.x] = s;
}

int main(void)
{
    enum { BLOCKS = 3, THREADS = 65, N = BLOCKS * THREADS };
    int x[N], *dx;
    long long got[BLOCKS], part[BLOCKS] = { 0 }, all = 0;
    for (int i = 0; i < N; i++) {
        x[i] = (int)(noise(i) >> 2);
        part[i / THREADS] += x[i];
        all += x[i];
    }
    dx = device(x, N);
    long long *sum = zeroes<long long>(2), *parts = zeroes<long long>(BLOCKS);
    count<<<BLOCKS, THREADS>>>(zeroes<int>(1), sum, dx);
    fetch(got, sum, 2);
    same("sum", 0, got[0], all);
    same("sum", 1, got[1], 2 * all);
    count_shared<<<BLOCKS, THREADS>>>(parts, dx);
    fetch(got, parts, BLOCKS);
    all_same("sum of block", got, part, BLOCKS);
    return done();
}
