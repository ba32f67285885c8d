// Breadth-first search, a launch for each level: compare-and-swap decides
// who has found a vertex first, a counter gives it a place in the frontier.
// Programming Massively Parallel Processors, chapter on graph traversal.
#include "idiom.h"

enum { N = 301, DEGREE = 3 };

__global__ void expand(int *level, int *to, int *n_to, const int *from,
                       const int *n_from, const int *edges, int depth)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= *n_from * DEGREE)
        return;
    int v = edges[from[i / DEGREE] * DEGREE + i % DEGREE];
    if (atomicCAS(&level[v], 0, depth) == 0)
        to[atomicAdd(n_to, 1)] = v;
}

int main(void)
{
    static int edges[N * DEGREE], want[N], got[N], queue[N];
    for (int i = 0; i < N * DEGREE; i++)
        edges[i] = (int)(noise(i) % N);
    int tail = 0, last = 1;
    want[queue[tail++] = 5] = 1;
    for (int h = 0; h < tail; h++)
        for (int k = 0; k < DEGREE; k++) {
            int v = edges[queue[h] * DEGREE + k];
            if (!want[v]) {
                last = want[v] = want[queue[h]] + 1;
                queue[tail++] = v;
            }
        }
    int *level = zeroes<int>(N), *counts = zeroes<int>(last + 2);
    int *frontier[2] = { zeroes<int>(N), zeroes<int>(N) };
    const int start = 5, one = 1, *de = device(edges, N * DEGREE);
    check(cudaMemcpy(level + 5, &one, 4, cudaMemcpyHostToDevice), "level");
    check(cudaMemcpy(counts, &one, 4, cudaMemcpyHostToDevice), "count");
    check(cudaMemcpy(frontier[0], &start, 4, cudaMemcpyHostToDevice), "5");
    for (int d = 1; d <= last; d++)
        expand<<<8, 128>>>(level, frontier[d % 2], counts + d,
                           frontier[(d + 1) % 2], counts + d - 1, de, d + 1);
    fetch(got, level, N);
    all_same("level of", got, want, N);
    return done();
}
