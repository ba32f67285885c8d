// A wait inside branches inside a loop: each round another lane of the warp
// publishes, and the rest wait for it in different places.
// CUDA C++ Programming Guide, Independent Thread Scheduling.
#include "idiom.h"

__global__ void relay(int *y, const int *x, int rounds)
{
    __shared__ volatile int round[2];
    __shared__ int box[2][8];
    int t = threadIdx.x, warp = t / 32, lane = t % 32, sum = 0;
    if (lane == 0)
        round[warp] = 0;
    __syncwarp();
    for (int k = 0; k < rounds; k++) {
        if (lane % 2) {
            if (lane == k * 7 % 32) {
                box[warp][k] = x[k] + warp;
                __threadfence_block();
                round[warp] = k + 1;
            } else if (lane > 16) {
                while (round[warp] <= k)
                    ;
                __threadfence_block();
                sum += box[warp][k];
            }
        } else {
            if (lane == k * 7 % 32) {
                box[warp][k] = 2 * x[k];
                __threadfence_block();
                round[warp] = k + 1;
            } else {
                while (round[warp] <= k)
                    ;
                __threadfence_block();
                sum -= box[warp][k];
            }
        }
        __syncwarp();
    }
    y[t] = sum;
}

int main(void)
{
    enum { N = 64, R = 8 };
    int x[R], got[N], *y = zeroes<int>(N);
    for (int k = 0; k < R; k++)
        x[k] = (int)(noise(k) % 1000);
    relay<<<1, N>>>(y, device(x, R), R);
    fetch(got, y, N);
    for (int i = 0; i < N; i++) {
        int lane = i % 32, sum = 0;
        for (int k = 0; k < R; k++) {
            int from = k * 7 % 32, v = from % 2 ? x[k] + i / 32 : 2 * x[k];
            if (lane != from)
                sum += lane % 2 == 0 ? -v : lane > 16 ? v : 0;
        }
        same("lane", i, got[i], sum);
    }
    return done();
}
