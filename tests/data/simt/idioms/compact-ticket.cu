// Stable compaction in one pass: a block learns from the one before it where
// its elements go, and tells the next; the block's number is a ticket.
// Yan, Long, Zhang, StreamScan (PPoPP 2013), adjacent synchronisation;
// Programming Massively Parallel Processors, single-pass scan.
#include "idiom.h"

enum { T = 96 };

__global__ void compact(int *y, volatile int *ends, int *ticket,
                        const int *x, int n)
{
    __shared__ int block, base, counts[T / 32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    if (t == 0)
        block = atomicAdd(ticket, 1);
    __syncthreads();
    int i = block * T + t;
    bool keep = i < n && x[i] > 0;
    unsigned kept = __ballot_sync(ALL, keep);
    if (lane == 0)
        counts[warp] = __popc(kept);
    __syncthreads();
    if (t == 0) {
        int end = 1;                    /* one more than it is: 0 is empty */
        if (block > 0)
            while ((end = ends[block - 1]) == 0)
                ;
        base = end - 1;
        for (int w = 0; w < T / 32; w++)
            end += counts[w];
        ends[block] = end;
    }
    __syncthreads();
    int to = base + __popc(kept & ((1u << lane) - 1));
    for (int w = 0; w < warp; w++)
        to += counts[w];
    if (keep)
        y[to] = x[i];
}

int main(void)
{
    enum { N = 1001, BLOCKS = (N + T - 1) / T };
    int x[N], got[N], ends[BLOCKS], n = 0;
    for (int i = 0; i < N; i++)
        x[i] = (int)(noise(i) % 1000) - 600;
    int *y = zeroes<int>(N), *de = zeroes<int>(BLOCKS);
    compact<<<BLOCKS, T>>>(y, de, zeroes<int>(1), device(x, N), N);
    fetch(got, y, N);
    fetch(ends, de, BLOCKS);
    for (int i = 0; i < N; i++)
        if (x[i] > 0)
            same("element", n, got[n], x[i]), n++;
    same("count", 0, ends[BLOCKS - 1] - 1, n);
    return done();
}
