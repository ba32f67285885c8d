// misaligned: doubles behind an odd number of floats
#include "wrong.h"

__global__ void mix(double *y, const double *x, int n)
{
    extern __shared__ char memory[];
    double *d = (double *)(memory + n * sizeof(float));
    d[threadIdx.x] = x[threadIdx.x];            // HERE
    __syncthreads();
    y[threadIdx.x] = d[31 - threadIdx.x];
}

int main()
{
    double *x = numbers<double>(32), *y = zeroes<double>(32);
#ifdef RIGHT
    mix<<<1, 32, 1024>>>(y, x, 34);
#else
    mix<<<1, 32, 1024>>>(y, x, 33);
#endif
    finish();
    cudaFree(x);
    cudaFree(y);
}
