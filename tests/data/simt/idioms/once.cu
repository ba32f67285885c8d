// Whoever comes first fills in an entry, the others wait until it is ready:
// 0 is empty, 1 is being made, 2 is ready.  Entries are asked for by lanes,
// warps and blocks in any order.
// The pattern of std::call_once; memoisation in GPU hash tables; CUDA C++
// Programming Guide, atomicCAS and Memory Fence Functions.
#include "idiom.h"

enum { ENTRIES = 20 };

static __device__ int cube(int k, int *state, int *table, int *made)
{
    if (atomicCAS(&state[k], 0, 1) == 0) {
        table[k] = k * k * k + 1;
        atomicAdd(made, 1);
        __threadfence();
        atomicExch(&state[k], 2);
    } else {
        while (atomicAdd(&state[k], 0) != 2)
            ;
        __threadfence();
    }
    return table[k];
}

__global__ void sum(int *y, const int *x, int n, int *state, int *table,
                    int *made)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
    for (; i < n; i += gridDim.x * blockDim.x)
        s += cube(x[i], state, table, made);
    s = __reduce_add_sync(ALL, s);
    if (threadIdx.x % 32 == 0)
        atomicAdd(y, s);
}

int main(void)
{
    enum { N = 700 };
    int x[N], got, made, want = 0, *y = zeroes<int>(1), *dm = zeroes<int>(1);
    for (int i = 0; i < N; i++) {
        int k = x[i] = (int)(noise(i) % ENTRIES);
        want += k * k * k + 1;
    }
    sum<<<3, 96>>>(y, device(x, N), N, zeroes<int>(ENTRIES),
                   zeroes<int>(ENTRIES), dm);
    fetch(&got, y, 1);
    fetch(&made, dm, 1);
    same("sum", 0, got, want);
    same("entries made", 0, made, (int)ENTRIES);
    return done();
}
