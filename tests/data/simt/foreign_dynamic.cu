/* Kernels that launch kernels (C++17); launches with blanks; alignas. */
#include "foreign_rows.h"
#include <string.h>

struct Pair { char tag; double weight; };

template <class T, int n> __global__ void add_to(T *sum, Pair p, T value)
{
    if (threadIdx.x < n && p.tag == 'k')
        atomicAdd(sum, (T)(value + (T)p.weight));
}
/* A tree: each thread of a node launches a node of half the size. */
__global__ void tree(unsigned *leaves, unsigned *nodes, int size, int depth)
{
    atomicAdd(nodes, 1u);
    if (size == 1) {
        atomicAdd(leaves, 1u + depth);
        return;
    }
    tree<<<1, size / 2>>>(leaves, nodes, size / 2, depth + 1);
}
__global__ void child(int *x, int parent_over)
{
    extern __shared__ int room[];
    room[threadIdx.x] = *x;
    if (threadIdx.x == 255)
        x[1] = room[255] == parent_over && gridDim.y == 3 && blockDim.x == 256;
}
__global__ void parent(int *x)
{
    *x = 1;
    child<<<dim3(1, 3),
            256, 256 * sizeof(int)>>>(x, 2);    // a comment with <<<1, 1>>>
    __syncthreads();
    *x = 2;
}
__global__ void families(float *f, unsigned long long *u)
{
    if (threadIdx.x % 2) {
        add_to<float, 3> <<<1, 32>>>(f, Pair{ 'k', 0.5 }, 1.0f);
        return;
    }
    add_to<unsigned long long, 5><<<(threadIdx.x < 4 ? 2 : 1), 32>>>(u, Pair{ 'k', 2 }, 40ull);
}
__global__ void wrong(int *x) { child<<<0, 1>>>(x, 0); }
#define LAUNCH(k, ...) k << <1, 32 >> >(__VA_ARGS__)
__global__ void aligned(unsigned *out)
{
    __shared__ alignas(64) char bytes[100];
    static __shared__ alignas(alignof(double)) char other[9];
    bytes[threadIdx.x] = other[threadIdx.x % 9] = 1;
    *out = (unsigned)__cvta_generic_to_shared(bytes) % 64 + (unsigned)__cvta_generic_to_shared(other) % 8;
}
int main()
{
    unsigned *n, host[2] = {};
    int *x, y[2] = {};
    float *f, g = 0;
    unsigned long long *u, v = 0;
    cudaMalloc(&n, sizeof host), cudaMalloc(&x, sizeof y), cudaMalloc(&f, 4), cudaMalloc(&u, 8);
    cudaMemset(n, 0, sizeof host), cudaMemset(x, 0, sizeof y), cudaMemset(f, 0, 4), cudaMemset(u, 0, 8);
    tree<<<1, 1>>>(n, n + 1, 16, 0);
    cudaMemcpy(host, n, sizeof host, cudaMemcpyDeviceToHost);
    /* sizes 16, 8, 4, 2, 1 with 1, 8, 8*4, 8*4*2, 8*4*2 threads; leaves have depth 4 */
    row("a tree of launches", host[1] == 1 + 8 + 32 + 64 + 64 && host[0] == 64 * 5);
    parent<<<1, 1>>>(x);
    cudaMemcpy(y, x, sizeof y, cudaMemcpyDeviceToHost);
    row("a child begins when its parent has ended", y[0] == 2 && y[1] == 1);
    families <<< 1, 8 >>> (f, u);
    cudaMemcpy(&g, f, 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(&v, u, 8, cudaMemcpyDeviceToHost);
    row("templates and structures", g == 4 * 3 * 1.5f && v == (2 + 2 + 1 + 1) * 5 * 42);
    wrong<<<1, 1>>>(x);
    row("a child that cannot run does not stop the program", cudaDeviceSynchronize() == cudaSuccess);
    cudaGetLastError();
    cudaMemset(n, 1, sizeof host);
    LAUNCH(aligned, n);
    cudaMemcpy(host, n, 4, cudaMemcpyDeviceToHost);
    row("blanks in a launch, alignas after __shared__", host[0] == 0);
    cudaFree(n), cudaFree(x), cudaFree(f), cudaFree(u);
    return rows_end();
}
