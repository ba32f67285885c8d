// A scan of segments of any length within a warp: a ballot of the heads
// tells each lane where its segment begins, and how far it may look back.
// Sengupta, Harris, Zhang, Owens, Scan Primitives for GPU Computing (2007);
// the form with ballots is CUB's WarpScan/WarpReduce by head flags.
#include "idiom.h"

__global__ void scan(int *y, int *total, const int *x, const int *head)
{
    int t = threadIdx.x, lane = t % 32, v = x[t];
    unsigned heads = __ballot_sync(ALL, head[t] || lane == 0);
    unsigned upto = heads & (lane == 31 ? ALL : (2u << lane) - 1);
    int first = 31 - __clz((int)upto);
    unsigned after = lane == 31 ? 0 : heads >> (lane + 1);
    int last = after ? lane + __ffs((int)after) - 1 : 31;
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(ALL, v, d);
        if (lane - d >= first)
            v += u;
    }
    y[t] = v;
    total[t] = __shfl_sync(ALL, v, last);
}

int main(void)
{
    enum { N = 160 };
    int x[N], head[N], got[N], sum[N], want[N];
    for (int i = 0; i < N; i++) {
        x[i] = (int)(noise(i) % 100) - 20;
        head[i] = noise(3 * i + 1) % (i / 32 * 3 + 1) == 0 || i % 32 == 0;
        want[i] = x[i] + (head[i] ? 0 : want[i - 1]);
    }
    int *y = zeroes<int>(N), *total = zeroes<int>(N);
    scan<<<1, N>>>(y, total, device(x, N), device(head, N));
    fetch(got, y, N);
    fetch(sum, total, N);
    all_same("prefix", got, want, N);
    for (int i = N - 1; i >= 0; i--) {
        if (i + 1 < N && !head[i + 1])
            want[i] = want[i + 1];
        same("sum of segment at", i, sum[i], want[i]);
    }
    return done();
}
