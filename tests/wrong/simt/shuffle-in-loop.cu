// absent lane: lanes leave the loop one by one, and are still read
#include "wrong.h"

__global__ void walk(float *y, const float *x, int n)
{
    int l = threadIdx.x;
    float v = 0;
#ifdef RIGHT
#pragma unroll 1
    for (int i = 0; i < n; i += 32) {
        float u = i + l < n ? x[i + l] : 0;
#else
#pragma unroll 1
    for (int i = l; i < n; i += 32) {
        float u = x[i];
#endif
        v += __shfl_xor_sync(0xffffffff, u, 1);     // HERE
    }
    y[l] = v;
}

int main()
{
    float *x = numbers<float>(101), *y = zeroes<float>(32);
    walk<<<1, 32>>>(y, x, 101);
    finish();
    cudaFree(x);
    cudaFree(y);
}
