// The lanes of a warp are served one group after another: the first lane of
// those left names its key, all with that key work together and are done.
// NVIDIA blog, Using CUDA Warp-Level Primitives; known as the waterfall loop.
#include "idiom.h"

__global__ void serve(int *y, int *round, const int *x)
{
    int t = threadIdx.x, key = x[t] % 9, k = 0;
    unsigned left = ALL;
    while (left) {                      /* all lanes stay in the loop */
        int leader = __ffs(left) - 1;
        int turn = __shfl_sync(ALL, key, leader);
        unsigned group = __ballot_sync(ALL, key == turn);
        if (key == turn) {
            y[t] = __reduce_add_sync(group, x[t]);
            round[t] = k;
        }
        left &= ~group;
        k++;
    }
}

__global__ void serve_and_go(int *y, int *round, const int *x)
{
    int t = threadIdx.x, key = x[t] % 9;
    unsigned left = ALL;
    for (int k = 0;; k++) {             /* lanes served leave the loop */
        int turn = __shfl_sync(left, key, __ffs(left) - 1);
        unsigned group = __ballot_sync(left, key == turn);
        if (key == turn) {
            y[t] = __reduce_add_sync(group, x[t]);
            round[t] = k;
            break;
        }
        left &= ~group;
    }
}

int main(void)
{
    enum { N = 96 };
    int x[N], got[N], r[N], *dx;
    for (int i = 0; i < N; i++)
        x[i] = (int)(noise(i) % 500);
    dx = device(x, N);
    for (int form = 0; form < 2; form++) {
        int *y = zeroes<int>(N), *round = zeroes<int>(N);
        if (form == 0)
            serve<<<1, N>>>(y, round, dx);
        else
            serve_and_go<<<1, N>>>(y, round, dx);
        fetch(got, y, N);
        fetch(r, round, N);
        for (int i = 0; i < N; i++) {
            int from = i / 32 * 32, sum = 0, before = 0;
            unsigned seen = 0;
            for (int k = from; k < from + 32; k++)
                sum += x[k] % 9 == x[i] % 9 ? x[k] : 0;
            for (int k = from; x[k] % 9 != x[i] % 9; k++)
                seen |= 1u << x[k] % 9;
            for (; seen; seen &= seen - 1)
                before++;
            same("sum", i, got[i], sum);
            same("round", i, r[i], before);
        }
    }
    return done();
}
