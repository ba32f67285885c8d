// All lanes insert nodes into one doubly linked list with a lock in each
// node: a lane locks the two neighbours of its place, and links.
// NVIDIA, Volta whitepaper, Independent Thread Scheduling, "Starvation-free
// algorithms": the doubly linked list with fine-grained locks.
#include "idiom.h"

struct Node { int lock, next, prev, rank; };

static __device__ void lock(Node *a)
{
    while (atomicCAS(&a->lock, 0, 1) != 0)
        ;
    __threadfence();
}

static __device__ void unlock(Node *a)
{
    __threadfence();
    atomicExch(&a->lock, 0);
}

enum { OLD = 6, THREADS = 57, N = 3 * THREADS, NODES = OLD + N };

__global__ void insert(Node *list, const int *after)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, me = OLD + i, a = after[i];
    lock(&list[a]);                     /* always in the list's order: */
    int b = list[a].next;               /* so no two wait in a circle */
    lock(&list[b]);
    list[me].prev = a;
    list[me].next = b;
    list[me].rank = list[b].rank + 1;
    list[b].prev = me;
    list[a].next = me;
    unlock(&list[b]);
    unlock(&list[a]);
}

int main(void)
{
    Node h[NODES];
    int after[N], in[OLD] = { 0 };
    memset(h, 0, sizeof h);
    for (int i = 0; i < OLD; i++) {     /* the last is the tail */
        h[i].next = i + 1;
        h[i].prev = i - 1;
    }
    for (int i = 0; i < N; i++)
        in[after[i] = (int)(noise(i) % (OLD - 1))]++;
    Node *list = device(h, NODES);
    insert<<<3, THREADS>>>(list, device(after, N));
    fetch(h, list, NODES);
    int i = 0;
    for (int old = 0; old < OLD - 1; old++) {
        same("old node", old, i, old);
        for (int k = in[old]; k >= 0; k--) {
            int next = h[i].next;
            same("in range", i, next > 0 && next < NODES, true);
            same("back from", next, h[next].prev, i);
            same("rank after", i, h[next].rank, k > 0 ? k : 0);
            i = next;
        }
    }
    same("tail", 0, i, OLD - 1);
    return done();
}
