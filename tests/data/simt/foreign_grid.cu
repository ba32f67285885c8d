/* Cooperative launches: blocks that wait for each other. */
#include "foreign_rows.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;
enum { BLOCKS = 40, THREADS = 48, ROUNDS = 5, N = BLOCKS * THREADS };

/* Each round, a number becomes the sum of two that other blocks wrote in
 * the round before. */
__global__ void rounds(unsigned *a, unsigned *b, unsigned *left)
{
    cg::grid_group grid = cg::this_grid();
    __shared__ unsigned mine;
    unsigned long long i = grid.thread_rank();
    if (threadIdx.x == 0)
        mine = blockIdx.x;
    for (int r = 0; r < ROUNDS; r++) {
        unsigned *from = r % 2 ? b : a, *to = r % 2 ? a : b;
        for (unsigned late = blockIdx.x % 7; late > 0; late--)
            __syncthreads();    /* no two blocks in step */
        to[i] = from[(i + THREADS) % N] + from[(i + 5 * THREADS) % N];
        grid.sync();
    }
    left[i] = mine == blockIdx.x && grid.size() == N &&
              grid.num_blocks() == BLOCKS && grid.is_valid();
}

__global__ void alone(unsigned *out)
{
    unsigned n, rank, set;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%is_explicit_cluster;" : "=r"(set));
    out[blockIdx.x] = n + 10 * rank + 100 * set;
    cg::this_grid().sync();
}

__global__ void invalid(unsigned *out)
{
    *out = cg::this_grid().is_valid();
}

static unsigned first(unsigned i) { return i * 2654435761u >> 7; }

static int right_rounds(const unsigned *got)
{
    static unsigned x[2][N];
    for (unsigned i = 0; i < N; i++)
        x[0][i] = first(i);
    for (int r = 0; r < ROUNDS; r++)
        for (unsigned i = 0; i < N; i++)
            x[(r + 1) % 2][i] = x[r % 2][(i + THREADS) % N] +
                                x[r % 2][(i + 5 * THREADS) % N];
    for (unsigned i = 0; i < N; i++)
        if (got[i] != x[ROUNDS % 2][i])
            return 0;
    return 1;
}

int main()
{
    static unsigned host[N];
    unsigned *a, *b, *left, one = 7;
    int can = 0, ones = 1;
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaMalloc(&left, sizeof host);
    cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0);
    row("the device has cooperative launches", can == 1);
    for (int twice = 0; twice < 2; twice++) {
        for (unsigned i = 0; i < N; i++)
            host[i] = first(i);
        cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
        void *arguments[] = { &a, &b, &left };
        cudaError_t e = cudaLaunchCooperativeKernel(rounds, BLOCKS,
                                                    THREADS, arguments);
        cudaMemcpy(host, ROUNDS % 2 ? b : a, sizeof host,
                   cudaMemcpyDeviceToHost);
        row(twice ? "and again" : "blocks wait for each other",
            e == cudaSuccess && right_rounds(host));
    }
    cudaMemcpy(host, left, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        ones &= host[i] == 1;
    row("each block keeps its shared memory", ones);
    void *out[] = { &left };
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    c.gridDim = BLOCKS;
    c.blockDim = THREADS;
    c.attrs = &attribute;
    c.numAttrs = 1;
    cudaError_t e = cudaLaunchKernelEx(&c, alone, left);
    cudaMemcpy(host, left, sizeof host, cudaMemcpyDeviceToHost);
    ones = e == cudaSuccess;
    for (int i = 0; i < BLOCKS; i++)
        ones &= host[i] == 1;
    row("by an attribute, and no cluster is seen", ones);
    invalid<<<1, 1>>>(left);
    cudaMemcpy(&one, left, sizeof one, cudaMemcpyDeviceToHost);
    row("another launch has no grid barrier", one == 0);
    e = cudaLaunchCooperativeKernel((void *)alone, 5000, THREADS, out);
    row("too many blocks are refused",
        e == cudaErrorCooperativeLaunchTooLarge &&
        cudaGetLastError() == e);
    cudaFree(a), cudaFree(b), cudaFree(left);
    return rows_end();
}
