// Producer and consumer lanes on the two sides of a branch, each side with
// its own __syncwarp of the whole warp: since Volta the lanes meet there.
// CUDA C++ Programming Guide, __syncwarp (only below compute capability 7.0
// must it be the same instruction); PTX ISA, bar.warp.sync.
#include "idiom.h"

__global__ void pass(int *y, const int *x, int rounds)
{
    __shared__ int s[2][16];
    int warp = threadIdx.x / 32, l = threadIdx.x % 32, *box = s[warp];
    if (l < 16) {
        for (int k = 0; k < rounds; k++) {
            box[l] = x[16 * k + l] + warp;
            __syncwarp();               /* full */
            __syncwarp();               /* empty */
        }
    } else {
        int sum = 0;
        for (int k = 0; k < rounds; k++) {
            __syncwarp();
            sum += box[31 - l] * (k + 1);
            __syncwarp();
        }
        y[16 * warp + l - 16] = sum;
    }
}

int main(void)
{
    enum { R = 9 };
    int x[16 * R], got[32], *y = zeroes<int>(32);
    for (int i = 0; i < 16 * R; i++)
        x[i] = (int)(noise(i) % 300);
    pass<<<1, 64>>>(y, device(x, 16 * R), R);
    fetch(got, y, 32);
    for (int i = 0; i < 32; i++) {
        int sum = 0;
        for (int k = 0; k < R; k++)
            sum += (x[16 * k + 15 - i % 16] + i / 16) * (k + 1);
        same("consumer", i, got[i], sum);
    }
    return done();
}
