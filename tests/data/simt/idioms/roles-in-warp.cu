// Lanes of one warp in four roles at once: eight exchange by __syncwarp of
// their mask, eight reduce by shuffles, one waits for each of both to be
// ready, and the rest take a lock one after another.
// CUDA C++ Programming Guide, Independent Thread Scheduling; Warp Shuffle
// Functions; __syncwarp.
#include "idiom.h"

__global__ void roles(int *y, const int *x)
{
    __shared__ int s[8], result[3], mutex, count;
    __shared__ volatile int ready[2];
    int l = threadIdx.x;
    if (l == 0)
        mutex = count = ready[0] = ready[1] = 0;
    __syncwarp();
    if (l < 8) {
        s[l] = x[l];
        for (int d = 1; d < 8; d *= 2) {
            __syncwarp(0xff);
            int v = s[l] + 2 * s[(l + d) % 8];
            __syncwarp(0xff);
            s[l] = v;
        }
        if (l == 5) {
            result[0] = s[5];
            __threadfence_block();
            ready[0] = 1;
        }
    } else if (l < 16) {
        int v = x[l];
        for (int d = 4; d > 0; d /= 2)
            v = max(v, __shfl_xor_sync(0xff00, v, d, 8));
        if (l == 8) {
            result[1] = v;
            __threadfence_block();
            ready[1] = 1;
        }
    } else if (l == 16) {
        while (ready[0] == 0 || ready[1] == 0)
            ;
        __threadfence_block();
        y[0] = result[0];
        y[1] = result[1];
    } else {
        while (atomicCAS(&mutex, 0, 1) != 0)
            ;
        __threadfence_block();
        count += x[l];
        __threadfence_block();
        atomicExch(&mutex, 0);
    }
    __syncwarp();
    if (l == 31)
        y[2] = count;
}

int main(void)
{
    int x[32], got[3], want[3] = { 0 }, s[8], *y = zeroes<int>(3);
    for (int i = 0; i < 32; i++)
        x[i] = (int)(noise(i) % 1000);
    roles<<<1, 32>>>(y, device(x, 32));
    fetch(got, y, 3);
    memcpy(s, x, sizeof s);
    for (int d = 1; d < 8; d *= 2) {
        int v[8];
        for (int l = 0; l < 8; l++)
            v[l] = s[l] + 2 * s[(l + d) % 8];
        memcpy(s, v, sizeof s);
    }
    want[0] = s[5];
    for (int l = 8; l < 16; l++)
        want[1] = x[l] > want[1] ? x[l] : want[1];
    for (int l = 17; l < 32; l++)
        want[2] += x[l];
    all_same("role", got, want, 3);
    return done();
}
