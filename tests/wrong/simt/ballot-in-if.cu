// absent lane: a vote of all, taken by those who agree
#include "wrong.h"

__global__ void vote(unsigned *y, const int *x)
{
    int l = threadIdx.x;
    __shared__ unsigned sum;
    unsigned b = 0;
    if (l == 0)
        sum = 0;
#ifdef RIGHT
    b = __ballot_sync(0xffffffff, x[l] % 3 == 0);
#else
    if (x[l] % 3 == 0)
        b = __ballot_sync(0xffffffff, x[l] > 10);   // HERE
#endif
    __syncthreads();            // the others wait here, for ever on a GPU
    atomicAdd(&sum, b);
    __syncthreads();
    y[l] = sum;
}

int main()
{
    int *x = numbers<int>(32);
    unsigned *y = zeroes<unsigned>(32);
    vote<<<1, 32>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
