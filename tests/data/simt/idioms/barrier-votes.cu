// Barriers that count, and that ask all and any; a loop that the whole block
// leaves together when nobody has changed anything.
// CUDA C++ Programming Guide, Synchronization Functions,
// __syncthreads_count, _and, _or.
#include "idiom.h"

__global__ void vote(int *y, const int *x)
{
    int t = threadIdx.x, v = x[blockIdx.x * blockDim.x + t];
    int count = __syncthreads_count(v % 3 == 0);
    int all = __syncthreads_and(v < 900), any = __syncthreads_or(v & 512);
    if (t == (int)blockDim.x - 1)
        y[blockIdx.x] = 4 * count + 2 * (all != 0) + (any != 0);
}

__global__ void sort(int *y, const int *x, int *rounds)     /* odd-even */
{
    __shared__ int s[65];
    int t = threadIdx.x, n = blockDim.x, k = 0;
    s[t] = x[t];
    bool idle = false;
    for (__syncthreads(); ; k++) {
        bool swap = t % 2 == k % 2 && t + 1 < n && s[t] > s[t + 1];
        if (swap) {
            int v = s[t];
            s[t] = s[t + 1];
            s[t + 1] = v;
        }
        bool before = idle;
        idle = !__syncthreads_or(swap);
        if (idle && before)             /* neither odd nor even ones */
            break;
    }
    y[t] = s[t];
    if (t == 0)
        *rounds = k;
}

int main(void)
{
    enum { T = 65, B = 8 };
    int x[B * T], got[B], s[T], rounds, *y = zeroes<int>(B);
    int *z = zeroes<int>(T), *dr = zeroes<int>(1);
    for (int i = 0; i < B * T; i++)
        x[i] = (int)(noise(i) % (i / T == 2 ? 400 : i / T == 5 ? 950 : 800));
    for (int i = 5 * T; i < 6 * T; i++)
        x[i] = x[i] >= 900 ? 1 : x[i];
    x[6 * T + 64] = 999;
    int *dx = device(x, B * T);
    vote<<<B, T>>>(y, dx);
    fetch(got, y, B);
    for (int b = 0; b < B; b++) {
        int count = 0, all = 1, any = 0;
        for (int i = b * T; i < (b + 1) * T; i++) {
            count += x[i] % 3 == 0;
            all &= x[i] < 900;
            any |= (x[i] & 512) != 0;
        }
        same("votes of block", b, got[b], 4 * count + 2 * all + any);
    }
    sort<<<1, T>>>(z, dx, dr);
    fetch(s, z, T);
    fetch(&rounds, dr, 1);
    same("rounds in range", rounds, rounds > 0 && rounds < T + 3, true);
    for (int i = 0; i < T; i++) {
        int less = 0, equal = 0;
        for (int k = 0; k < T; k++) {
            less += x[k] < s[i];
            equal += x[k] == s[i];
        }
        same("place", i, i >= less && i < less + equal, true);
    }
    return done();
}
