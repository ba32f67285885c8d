// Linked lists without a lock: a new entry takes the head's place by
// atomicExch and remembers what was there.
// Known from order-independent transparency (per-pixel linked lists) and
// cell lists of particle codes; CUDA C++ Programming Guide, atomicExch.
#include "idiom.h"

enum { LISTS = 7, N = 257 };

__global__ void build(int *head, int *next, const int *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        next[i] = atomicExch(&head[x[i] % LISTS], i + 1);
}

int main(void)
{
    int x[N], head[LISTS], next[N], found = 0;
    char seen[N] = { 0 };
    for (int i = 0; i < N; i++)
        x[i] = (int)(noise(i) % 1000);
    int *dh = zeroes<int>(LISTS), *dn = zeroes<int>(N);
    build<<<3, 96>>>(dh, dn, device(x, N));
    fetch(head, dh, LISTS);
    fetch(next, dn, N);
    for (int l = 0; l < LISTS; l++)
        for (int i = head[l]; i > 0; i = next[i - 1], found++) {
            same("twice", i - 1, (int)seen[i - 1]++, 0);
            same("list of", i - 1, x[i - 1] % LISTS, l);
        }
    same("entries", 0, found, (int)N);
    return done();
}
