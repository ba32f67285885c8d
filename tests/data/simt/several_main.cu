// One program of three files; both .cu files have a kernel called fill.
#include <stdio.h>
#include "several.h"

static __global__ void fill(int *p) { p[threadIdx.x] = threadIdx.x; }

int main(void)
{
    int *p, h[32], bad = 0;
    cudaMalloc(&p, sizeof h);
    fill<<<1, 32>>>(p);
    other(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        bad += h[i] != plain(i);
    cudaFree(p);
    printf("%d wrong, %s\n", bad, cudaGetErrorString(cudaGetLastError()));
    return bad != 0;
}

void fail(void) {}              /* a name that our library has, too */
