// The last block to finish: every thread writes a part of the result and
// fences, then the barrier, then one takes the ticket for all.
// cuda-samples, threadFenceReduction (the fence of all threads); CUDA C++
// Programming Guide, Memory Fence Functions.
#include "idiom.h"

enum { COLUMNS = 57, ROWS = 11, BLOCKS = 9 };

__global__ void columns(int *y, int *part, int *ticket, const int *x)
{
    __shared__ bool last;
    int t = threadIdx.x, v = 0;
    for (int r = 0; r < ROWS; r++)
        v += x[(blockIdx.x * ROWS + r) * COLUMNS + t];
    part[blockIdx.x * COLUMNS + t] = v;
    __threadfence();
    __syncthreads();
    if (t == 0)
        last = atomicAdd(ticket, 1) == (int)gridDim.x - 1;
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    v = 0;
    for (int b = 0; b < (int)gridDim.x; b++)
        v += part[b * COLUMNS + t];
    y[COLUMNS - 1 - t] = v;
}

int main(void)
{
    enum { N = BLOCKS * ROWS * COLUMNS };
    static int x[N];
    int got[COLUMNS], want[COLUMNS] = { 0 }, *y = zeroes<int>(COLUMNS);
    for (int i = 0; i < N; i++)
        want[COLUMNS - 1 - i % COLUMNS] += x[i] = (int)(noise(i) % 3000);
    columns<<<BLOCKS, COLUMNS>>>(y, zeroes<int>(BLOCKS * COLUMNS),
                                 zeroes<int>(1), device(x, N));
    fetch(got, y, COLUMNS);
    all_same("column from the right", got, want, COLUMNS);
    return done();
}
