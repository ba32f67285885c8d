// Connected components: each edge hooks the larger root under the smaller
// by compare-and-swap, with loads that may be out of date, and paths are
// shortened on the way.
// Jaiganesh and Burtscher, A high-performance connected components
// implementation for GPUs (ECL-CC, 2018).
#include "idiom.h"

static __device__ int root(volatile int *parent, int v)
{
    int p = parent[v];
    while (p != v) {
        int next = parent[p];
        if (next != p)
            parent[v] = next;           /* halve the path */
        v = p;
        p = next;
    }
    return v;
}

__global__ void hook(int *parent, const int *edges, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int a = root(parent, edges[2 * i]), b = root(parent, edges[2 * i + 1]);
    while (a != b) {
        int high = max(a, b), low = min(a, b);
        int was = atomicCAS(&parent[high], high, low);
        if (was == high)
            break;
        a = root(parent, was);
        b = root(parent, low);
    }
}

__global__ void flatten(int *label, int *parent, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = i;
    if (i >= n)
        return;
    while (parent[v] != v)
        v = parent[v];
    label[i] = v;
}

int main(void)
{
    enum { N = 200, E = 170 };
    int parent[N], edges[2 * E], want[N], got[N];
    for (int i = 0; i < N; i++)
        parent[i] = want[i] = i;
    for (int i = 0; i < 2 * E; i++)
        edges[i] = (int)(noise(i) % N);
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < E; i++) {
            int a = edges[2 * i], b = edges[2 * i + 1];
            int least = want[a] < want[b] ? want[a] : want[b];
            changed |= want[a] != want[b];
            want[a] = want[b] = least;
        }
    }
    int *dp = device(parent, N), *label = zeroes<int>(N);
    hook<<<2, 96>>>(dp, device(edges, 2 * E), E);
    flatten<<<2, 128>>>(label, dp, N);
    fetch(got, label, N);
    all_same("label of", got, want, N);
    return done();
}
