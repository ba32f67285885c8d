// absent lane: half the warp shuffles and names all of it
#include "wrong.h"

__global__ void fold(float *y, const float *x)
{
    int l = threadIdx.x;
    float v = x[l];
#ifdef RIGHT
    float u = __shfl_down_sync(0xffffffff, v, 8);
    if (l < 16)
        v += u;
#else
    if (l < 16)
        v += __shfl_down_sync(0xffffffff, v, 8);    // HERE
#endif
    y[l] = v;
}

int main()
{
    float *x = numbers<float>(32), *y = zeroes<float>(32);
    fold<<<1, 32>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
