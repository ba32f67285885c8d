// A scan in one pass with status and value in one 64-bit word, which changes
// as a whole: no fence is needed, since nothing else is read.  A warp looks
// at 32 tiles at a time.
// Merrill and Garland, Single-pass parallel prefix scan with decoupled
// look-back (NVIDIA, 2016); CUB, single_pass_scan_operators.
#include "idiom.h"

typedef unsigned long long Word;
enum { T = 32, SUM = 1, PREFIX = 2 };

static __device__ Word pack(int status, int v)
{
    return (Word)status << 32 | (unsigned)v;
}

__global__ void scan(int *y, Word *words, int *next, const int *x, int n)
{
    int lane = threadIdx.x, k;
    if (lane == 0)
        k = atomicAdd(next, 1);
    k = __shfl_sync(ALL, k, 0);
    int i = k * T + lane, v = i < n ? x[i] : 0, before = 0;
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(ALL, v, d);
        v += lane >= d ? u : 0;
    }
    if (lane == 31)
        atomicExch(&words[k], pack(k ? SUM : PREFIX, v));
    for (int from = k - 1; from >= 0; from -= 32) {
        Word w = pack(PREFIX, 0);           /* before the first tile */
        if (from - lane >= 0)
            do
                w = atomicAdd(&words[from - lane], 0);
            while (w >> 32 == 0);
        unsigned ends = __ballot_sync(ALL, w >> 32 == PREFIX);
        int last = ends ? __ffs(ends) - 1 : 31;
        before += __reduce_add_sync(ALL, lane <= last ? (int)(unsigned)w : 0);
        if (ends)
            break;
    }
    if (k > 0 && lane == 31)
        atomicExch(&words[k], pack(PREFIX, before + v));
    if (i < n)
        y[i] = before + v;
}

int main(void)
{
    enum { N = 2500, TILES = (N + T - 1) / T };
    static int x[N], got[N], want[N];
    for (int i = 0; i < N; i++) {
        x[i] = (int)(noise(i) % 1000) - 350;
        want[i] = x[i] + (i ? want[i - 1] : 0);
    }
    int *y = zeroes<int>(N);
    scan<<<TILES, T>>>(y, zeroes<Word>(TILES), zeroes<int>(1), device(x, N),
                       N);
    fetch(got, y, N);
    all_same("prefix", got, want, N);
    return done();
}
