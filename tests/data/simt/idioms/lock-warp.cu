// A lock for a warp: one lane takes it, all lanes work under it, the lane
// gives it back; __syncwarp carries the order between the lane and the rest.
// NVIDIA blog, Using CUDA Warp-Level Primitives, on __syncwarp; the usual
// way to lock a node of a tree for a warp.
#include "idiom.h"

enum { W = 3, B = 3, ROUNDS = 4 };

__global__ void add(int *mutex, int *matrix, const int *x)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int me = blockIdx.x * W + warp;
    for (int k = 0; k < ROUNDS; k++) {
        int row = (me + k) % 5;
        if (lane == 0) {
            while (atomicCAS(&mutex[row], 0, 1) != 0)
                ;
            __threadfence();
        }
        __syncwarp();
        int v = matrix[row * 32 + (lane + 1) % 32];
        __syncwarp();
        matrix[row * 32 + lane] = v + x[me];        /* rotate, add */
        __syncwarp();
        if (lane == 0) {
            __threadfence();
            atomicExch(&mutex[row], 0);
        }
    }
}

int main(void)
{
    int x[B * W], m[5 * 32], at[5] = { 0 }, sum[5] = { 0 };
    for (int i = 0; i < B * W; i++)
        x[i] = (int)(noise(i) % 100);
    for (int i = 0; i < 5 * 32; i++)
        m[i] = (int)(noise(~i) % 100);
    int got[5 * 32], *matrix = device(m, 5 * 32);
    add<<<B, 32 * W>>>(zeroes<int>(5), matrix, device(x, B * W));
    fetch(got, matrix, 5 * 32);
    for (int i = 0; i < B * W; i++)
        for (int k = 0; k < ROUNDS; k++) {
            at[(i + k) % 5]++;
            sum[(i + k) % 5] += x[i];
        }
    for (int i = 0; i < 5 * 32; i++) {
        int r = i / 32;
        same("element", i, got[i], m[r * 32 + (i + at[r]) % 32] + sum[r]);
    }
    return done();
}
