// use after free: the scratch buffer goes before its last launch
#include "wrong.h"

__global__ void fill(float *x)
{
    x[threadIdx.x] = 1;                         // HERE
}

int main()
{
    float *x = zeroes<float>(64);
    fill<<<1, 64>>>(x);
#ifdef RIGHT
    fill<<<1, 64>>>(x);
    cudaFree(x);
#else
    cudaFree(x);
    fill<<<1, 64>>>(x);
#endif
    finish();
}
