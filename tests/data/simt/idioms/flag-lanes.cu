// One lane spins until another of its warp has raised a flag, whichever
// side of the branch comes first in the program.
// CUDA C++ Programming Guide, Independent Thread Scheduling (compute
// capability 7.x): threads of a warp can wait for each other.
#include "idiom.h"

static __device__ void send(volatile int *flag, int *box, int v)
{
    *box = v;
    __threadfence_block();
    *flag = 1;
}

static __device__ int receive(volatile int *flag, const int *box)
{
    while (*flag == 0)
        ;
    __threadfence_block();
    return *box;
}

template <bool RECEIVER_FIRST>
__global__ void pass(int *y, const int *x, int from, int to)
{
    __shared__ volatile int flag;
    __shared__ int box;
    int t = threadIdx.x, b = blockIdx.x;
    if (t == 0)
        flag = 0;
    __syncthreads();
    if (RECEIVER_FIRST) {
        if (t == to)
            y[b] = receive(&flag, &box);
        else if (t == from)
            send(&flag, &box, x[b]);
    } else {
        if (t == from)
            send(&flag, &box, x[b]);
        else if (t == to)
            y[b] = receive(&flag, &box);
    }
}

int main(void)
{
    enum { B = 5 };
    const int pairs[][2] = { { 31, 0 }, { 0, 31 }, { 13, 14 }, { 14, 13 } };
    int x[B], got[B], *dx;
    for (int i = 0; i < B; i++)
        x[i] = (int)noise(i) | 1;
    dx = device(x, B);
    for (int k = 0; k < 8; k++) {
        int *y = zeroes<int>(B), from = pairs[k / 2][0], to = pairs[k / 2][1];
        if (k % 2)
            pass<true><<<B, 33>>>(y, dx, from, to);
        else
            pass<false><<<B, 33>>>(y, dx, from, to);
        fetch(got, y, B);
        all_same("block", got, x, B);
    }
    return done();
}
