// Two halves of a warp at one instruction, each with its own mask: they do
// not take part in one operation, but in two.
// PTX ISA, shfl.sync, vote.sync, redux.sync: membermask; the programming
// guide asks that the lanes named in a mask agree on it, not all lanes.
#include "idiom.h"

__global__ void halves(int *y, const int *x)
{
    int t = threadIdx.x, lane = t % 32, v = x[t];
    unsigned mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;
    int *r = y + 8 * t;
    r[0] = __shfl_sync(mask, v, lane < 16 ? 3 : 20);
    r[1] = __shfl_xor_sync(mask, v, 5);
    r[2] = __shfl_down_sync(mask, v, 2, 8);
    r[3] = (int)__ballot_sync(mask, v & 1);
    r[4] = __any_sync(mask, v == 7) + 2 * __all_sync(mask, v > 2);
    r[5] = __reduce_add_sync(mask, v);
    r[6] = __reduce_max_sync(mask, v);
    r[7] = (int)__match_any_sync(mask, v % 4);
    __syncwarp(mask);
}

int main(void)
{
    enum { N = 96 };
    int x[N], y[N][8], *dy = zeroes<int>(8 * N);
    for (int i = 0; i < N; i++)
        x[i] = (int)(noise(i) % 60) + (i / 16 % 2) * 3;
    halves<<<1, N>>>(dy, device(x, N));
    fetch(y[0], dy, 8 * N);
    for (int i = 0; i < N; i++) {
        int warp = i / 32 * 32, first = i / 16 * 16, sum = 0, most = 0;
        int any = 0, all = 1;
        unsigned odd = 0, alike = 0;
        for (int k = first; k < first + 16; k++) {
            sum += x[k];
            most = x[k] > most ? x[k] : most;
            any |= x[k] == 7;
            all &= x[k] > 2;
            odd |= (x[k] & 1u) << k % 32;
            alike |= (unsigned)(x[k] % 4 == x[i] % 4) << k % 32;
        }
        same("broadcast", i, y[i][0], x[warp + (i % 32 < 16 ? 3 : 20)]);
        same("xor", i, y[i][1], x[i ^ 5]);
        same("down", i, y[i][2], i % 8 < 6 ? x[i + 2] : x[i]);
        same("ballot", i, (unsigned)y[i][3], odd);
        same("any and all", i, y[i][4], any + 2 * all);
        same("sum", i, y[i][5], sum);
        same("largest", i, y[i][6], most);
        same("match", i, (unsigned)y[i][7], alike);
    }
    return done();
}
