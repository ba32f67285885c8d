// Warp-aggregated atomics by key: lanes with the same bin elect a leader,
// who adds their number, and each gets a rank of its own in the bin.
// NVIDIA blog, Voting and Shuffling / Using CUDA Warp-Level Primitives,
// on __match_any_sync.
#include "idiom.h"

enum { BINS = 11 };

__global__ void rank(int *y, int *bins, const int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    unsigned here = __ballot_sync(ALL, i < n);
    if (i >= n)
        return;
    int bin = x[i] % BINS, first;
    unsigned alike = __match_any_sync(here, bin);
    int leader = __ffs(alike) - 1;
    if (lane == leader)
        first = atomicAdd(&bins[bin], __popc(alike));
    first = __shfl_sync(alike, first, leader);
    y[i] = first + __popc(alike & ((1u << lane) - 1));
}

int main(void)
{
    enum { N = 777 };
    int x[N], got[N], bins[BINS], want[BINS] = { 0 };
    for (int i = 0; i < N; i++)
        want[(x[i] = (int)(noise(i) % 5000)) % BINS]++;
    int *y = zeroes<int>(N), *db = zeroes<int>(BINS);
    rank<<<7, 128>>>(y, db, device(x, N), N);
    fetch(got, y, N);
    fetch(bins, db, BINS);
    all_same("bin", bins, want, BINS);
    static char taken[BINS][N];
    for (int i = 0; i < N; i++) {           /* each rank once */
        int bin = x[i] % BINS;
        same("rank in range", i, got[i] >= 0 && got[i] < want[bin], true);
        same("rank taken", i, (int)taken[bin][got[i]]++, 0);
    }
    return done();
}
