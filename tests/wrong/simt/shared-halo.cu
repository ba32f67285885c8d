// out of bounds: the tile has no room for its right neighbour
#include "wrong.h"

#ifdef RIGHT
#define ROOM 129
#else
#define ROOM 128
#endif

__global__ void difference(float *y, const float *x)
{
    __shared__ float s[ROOM];
    int t = threadIdx.x;
    s[t] = x[t];
    if (t == 127)
        s[t + 1] = 0;                           // HERE
    __syncthreads();
    y[t] = s[t + (t < 127)] - s[t];
}

int main()
{
    float *x = numbers<float>(128), *y = zeroes<float>(128);
    difference<<<1, 128>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
