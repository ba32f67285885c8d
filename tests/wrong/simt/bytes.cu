// race: each warp marks its bytes, and the first of the next warp
#include "wrong.h"

__global__ void mark(unsigned char *y, const unsigned char *x)
{
    __shared__ unsigned char m[129];
    int t = threadIdx.x;
    m[t] = x[t];                                // HERE
#ifdef RIGHT
    __syncthreads();
#endif
    if (t == 31)
        m[t + 1] = x[t + 1] ^ 1;                // OTHER
    __syncthreads();
    y[t] = m[t];
}

int main()
{
    unsigned char *x = numbers<unsigned char>(128);
    unsigned char *y = zeroes<unsigned char>(128);
    mark<<<1, 128>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
