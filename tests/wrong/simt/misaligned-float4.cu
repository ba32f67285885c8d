// misaligned: four floats at once, from an odd element
#include "wrong.h"

__global__ void sum4(float *y, const float *x, int from)
{
    const float4 *p = (const float4 *)(x + from);
    float4 v = p[threadIdx.x];                  // HERE
    y[threadIdx.x] = v.x + v.y + v.z + v.w;     // HERE (clang 14)
}

int main()
{
    float *x = numbers<float>(160), *y = zeroes<float>(32);
#ifdef RIGHT
    sum4<<<1, 32>>>(y, x, 4);
#else
    sum4<<<1, 32>>>(y, x, 1);
#endif
    finish();
    cudaFree(x);
    cudaFree(y);
}
