// A queue of few places for many producers and consumers: tickets for both,
// and in each place a number that says whose turn it is.
// Vyukov, Bounded MPMC queue (1024cores.net); Tzeng, Patney, Owens, Task
// management for irregular-parallel workloads on the GPU (2010).
#include "idiom.h"

enum { PLACES = 8, T = 128, EACH = 3 };         /* half produce */

__global__ void work(int *y, int *count, const int *x)
{
    __shared__ unsigned in, out;
    __shared__ volatile unsigned turn[PLACES];
    __shared__ int item[PLACES];
    int t = threadIdx.x;
    if (t < PLACES)
        turn[t] = t;
    if (t == 0)
        in = out = 0;
    __syncthreads();
    for (int k = 0; k < EACH; k++)
        if (t % 2) {
            unsigned mine = atomicAdd(&in, 1), p = mine % PLACES;
            while (turn[p] != mine)
                ;
            __threadfence_block();
            item[p] = x[t / 2 * EACH + k];
            __threadfence_block();
            turn[p] = mine + 1;
        } else {
            unsigned mine = atomicAdd(&out, 1), p = mine % PLACES;
            while (turn[p] != mine + 1)
                ;
            __threadfence_block();
            y[mine] = item[p];
            __threadfence_block();
            turn[p] = mine + PLACES;
            atomicAdd(count, 1);
        }
}

int main(void)
{
    enum { N = T / 2 * EACH };
    int x[N], got[N], count, seen[N] = { 0 };
    for (int i = 0; i < N; i++)
        x[i] = 5 * i + (int)(noise(i) % 5);     /* no two are equal */
    int *y = zeroes<int>(N), *dc = zeroes<int>(1);
    work<<<1, T>>>(y, dc, device(x, N));
    fetch(got, y, N);
    fetch(&count, dc, 1);
    same("count", 0, count, (int)N);
    for (int i = 0; i < N; i++) {
        int k = got[i] / 5;
        same("in range", i, k >= 0 && k < N, true);
        same("item", i, got[i], x[k]);
        same("twice", i, seen[k]++, 0);
    }
    return done();
}
