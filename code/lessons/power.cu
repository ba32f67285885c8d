/* Tangled from chapters/workshop/first-programs.nw, "power: the same numbers in two orders".  Edit it there. */

/* power: x to the power of e[i], modulo m, on a GPU, every result checked;
 * and how many lanes of each warp are used. */
#include "backend/cuda.h"
extern "C" {
#include "base/alloc.h"
#include "base/args.h"
}
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* the kernel: one thread computes one power */
/* y[i] = x^e[i] modulo m, for i < n.  m <= 65536, so products fit 32 bits.
 *   launch   at least n threads in a grid of one dimension */
__global__ void power(unsigned *y, const unsigned *e, int n, unsigned x,
                      unsigned m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned left = e[i], result = 1;
    while (left != 0) {
        if (left & 1)
            result = result * x % m;
        x = x * x % m;
        left >>= 1;
    }
    y[i] = result;
}

/* the kernel: each warp adds up its rounds */
struct Use { int lanes, rounds, longest; unsigned together; };

/* use[w]: of warp w of the grid, how many lanes have an exponent, the sum
 * and the maximum of their rounds, and how many have as many as the first.
 * Launched as power. */
__global__ void rounds(struct Use *use, const unsigned *e, int n)
{
    const unsigned all = 0xffffffff;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = i < n ? 32 - __clz(e[i]) : 0;
    int lanes = __popc(__ballot_sync(all, i < n));
    int first = __shfl_sync(all, mine, 0);
    int together = __popc(__ballot_sync(all, i < n && mine == first));
    int sum = mine, longest = mine;
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_down_sync(all, sum, d);
        longest = max(longest, __shfl_down_sync(all, longest, d));
    }
    if (i % 32 == 0 && i < n)
        use[i / 32] = { lanes, sum, longest, (unsigned)together };
}

/* the options of power */
enum { THREADS = 256, BASE = 3, MODULUS = 65521 };      /* a prime */

static int n = 32 * 1024;
static const char *order = "mixed";

static const struct Option options[] = {
    { "n", OPT_INT, &n, 1, 1 << 26, "N", "exponents", NULL },
    { "order", OPT_CHOICE, &order, 0, 0, "mixed|sorted",
      "of the exponents (default: mixed)", NULL },
    { NULL, OPT_END, NULL, 0, 0, NULL, NULL, NULL },
};

static const struct Usage usage = {
    "[options]", "Compute powers modulo a prime on the GPU and check them.",
    NULL
};

/* make the exponents, mixed or sorted */
static int ascending(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static void make_exponents(unsigned *e)
{
    for (int i = 0; i < n; i++) {
        unsigned random = (unsigned)i * 2654435761u;
        e[i] = i % 32 == 17 ? random | 1u << 31 : random >> 29 | 8;
    }
    if (strcmp(order, "sorted") == 0)
        qsort(e, (size_t)n, sizeof *e, ascending);
}

/* compare each power with the host's own */
static unsigned host_power(unsigned e)
{
    unsigned y = 1;
    for (int bit = 31; bit >= 0; bit--) {
        y = y * y % MODULUS;
        if (e >> bit & 1)
            y = y * BASE % MODULUS;
    }
    return y;
}

static void compare(const unsigned *y, const unsigned *e)
{
    int wrong = 0;
    for (int i = n; i-- > 0; )
        if (y[i] != host_power(e[i]) && wrong++ < 3)
            warn("power %d, exponent %u, is %u, not %u", i, e[i], y[i],
                 host_power(e[i]));
    if (wrong)
        fail("%d of %d powers are wrong", wrong, n);
    printf("%d powers, all right\n", n);
}

/* run both kernels */
static void print_use(const struct Use *use, int warps)
{
    long long rounds = 0, longest = 0, together = 0;
    for (int w = 0; w < warps; w++) {
        rounds += use[w].rounds;
        longest += use[w].longest;
        together += use[w].together == (unsigned)use[w].lanes;
    }
    printf("%lld rounds of threads, %lld rounds of warps: "
           "%.1f lanes used in each\n", rounds, longest,
           (double)rounds / (double)longest);
    printf("%lld of %d warps have lanes of one length\n", together, warps);
}

/* the main program of power */
int main(int argc, char **argv)
{
    args_options(argc, argv, options, &usage);
    int warps = (n + 31) / 32, blocks = (n + THREADS - 1) / THREADS;
    size_t bytes = (size_t)n * sizeof(unsigned);
    unsigned *e = (unsigned *)xcalloc((size_t)n, sizeof *e);
    unsigned *y = (unsigned *)xcalloc((size_t)n, sizeof *y);
    struct Use *use = (struct Use *)xcalloc((size_t)warps, sizeof *use);
    make_exponents(e);
    /* put the exponents on the device */
    unsigned *d_e, *d_y;
    struct Use *d_use;
    CUDA_OK(cudaMalloc(&d_e, bytes));
    CUDA_OK(cudaMalloc(&d_y, bytes));
    CUDA_OK(cudaMalloc(&d_use, (size_t)warps * sizeof *use));
    CUDA_OK(cudaMemcpy(d_e, e, bytes, cudaMemcpyHostToDevice));
    CUDA_OK(cudaMemset(d_y, 0xff, bytes));
    CUDA_OK(cudaMemset(d_use, 0xff, (size_t)warps * sizeof *use));
    power<<<blocks, THREADS>>>(d_y, d_e, n, BASE, MODULUS);
    CUDA_OK(cudaGetLastError());
    rounds<<<blocks, THREADS>>>(d_use, d_e, n);
    CUDA_OK(cudaGetLastError());
    /* fetch the results, and give everything back */
    CUDA_OK(cudaMemcpy(y, d_y, bytes, cudaMemcpyDeviceToHost));
    CUDA_OK(cudaMemcpy(use, d_use, (size_t)warps * sizeof *use,
                       cudaMemcpyDeviceToHost));
    CUDA_OK(cudaFree(d_e));
    CUDA_OK(cudaFree(d_y));
    CUDA_OK(cudaFree(d_use));
    compare(y, e);
    print_use(use, warps);
    free(e);
    free(y);
    free(use);
    return 0;
}
