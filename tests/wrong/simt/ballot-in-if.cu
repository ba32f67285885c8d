// absent lane: a vote of all, taken by those who agree
#include "wrong.h"

__global__ void vote(unsigned *y, const int *x)
{
    int l = threadIdx.x;
    unsigned b = 0;
#ifdef RIGHT
    b = __ballot_sync(0xffffffff, x[l] % 3 == 0);
#else
    if (x[l] % 3 == 0)
        b = __ballot_sync(0xffffffff, x[l] > 10);   // HERE
#endif
    y[l] = b;
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
