// A row for each warp: the running maximum and the rescaled sum of lanes
// that have seen different elements are merged by shuffles.
// llm.c, dev/cuda, softmax forward, the online kernels.
#include "idiom.h"

__global__ void softmax(float *y, const float *x, int rows, int columns)
{
    int row = (int)(blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows)
        return;                                 /* whole warps */
    x += row * columns;
    float m = -1e30f, s = 0;
    for (int i = lane; i < columns; i += 32) {
        float old = m;
        m = fmaxf(m, x[i]);
        s = s * exp2f(old - m) + exp2f(x[i] - m);
    }
    for (int d = 16; d > 0; d /= 2) {
        float m2 = __shfl_xor_sync(ALL, m, d), s2 = __shfl_xor_sync(ALL, s, d);
        float most = fmaxf(m, m2);
        s = s * exp2f(m - most) + s2 * exp2f(m2 - most);
        m = most;
    }
    for (int i = lane; i < columns; i += 32)
        y[row * columns + i] = exp2f(x[i] - m) / s;
}

int main(void)
{
    enum { R = 7, C = 75 };
    float x[R * C], got[R * C], *y = zeroes<float>(R * C);
    for (int i = 0; i < R * C; i++)             /* powers of 2 are exact */
        x[i] = (float)(int)(noise(i) % 8) + i / C;
    softmax<<<2, 128>>>(y, device(x, R * C), R, C);
    fetch(got, y, R * C);
    for (int r = 0; r < R; r++) {
        float sum = 0;
        for (int c = 0; c < C; c++)
            sum += ldexpf(1, (int)x[r * C + c] - 7 - r);
        for (int c = 0; c < C; c++)
            same("element", r * C + c, got[r * C + c],
                 ldexpf(1, (int)x[r * C + c] - 7 - r) / sum);
    }
    return done();
}
