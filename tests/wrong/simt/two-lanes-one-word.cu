// race: lanes 2 k and 2 k + 1 store different values to one word
// says: They are lanes of one instruction
#include "wrong.h"

__global__ void pairs(int *y, const int *x)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = 0;
    __syncthreads();
#ifdef RIGHT
    s[t] = x[t];
#else
    s[t / 2] = x[t];                            // HERE OTHER
#endif
    __syncthreads();
    y[t] = s[t];
}

int main()
{
    int *x = numbers<int>(64), *y = zeroes<int>(64);
    pairs<<<1, 64>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
