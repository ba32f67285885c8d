// Stable compaction of a block: ranks within the warp by a ballot and the
// lanes below, offsets of the warps by a scan in shared memory.
// Programming Massively Parallel Processors and the CUDA Handbook, on
// stream compaction by ballot and popc; PTX ISA, %lanemask_lt.
#include "idiom.h"

static __device__ unsigned lanes_below(void)
{
    unsigned m;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
    return m;
}

__global__ void compact(int *y, int *n, const int *x, int size)
{
    __shared__ int counts[32];
    int t = threadIdx.x, warp = t / 32, base = blockIdx.x * blockDim.x;
    bool keep = t < size - base && x[base + t] % 4 == 1;
    unsigned kept = __ballot_sync(ALL, keep);
    if (t % 32 == 0)
        counts[warp] = __popc(kept);
    __syncthreads();
    int before = 0, all = 0;
    for (int w = 0; w < (int)(blockDim.x + 31) / 32; w++) {
        before += w < warp ? counts[w] : 0;
        all += counts[w];
    }
    if (keep)
        y[base + before + __popc(kept & lanes_below())] = x[base + t];
    if (t == 0)
        n[blockIdx.x] = all;
}

int main(void)
{
    const int threads[] = { 32, 33, 57, 257 };
    enum { N = 700 };
    int x[N], got[N], n[32];
    for (int i = 0; i < N; i++)
        x[i] = (int)(noise(i) % 4000);
    for (int b : threads) {
        int blocks = (N + b - 1) / b;
        int *y = zeroes<int>(N), *dn = zeroes<int>(32);
        compact<<<blocks, b>>>(y, dn, device(x, N), N);
        fetch(got, y, N);
        fetch(n, dn, 32);
        for (int block = 0; block < blocks; block++) {
            int k = 0;
            for (int i = block * b; i < N && i < (block + 1) * b; i++)
                if (x[i] % 4 == 1)
                    same("element", i, got[block * b + k++], x[i]);
            same("count of block", block, n[block], k);
        }
    }
    return done();
}
