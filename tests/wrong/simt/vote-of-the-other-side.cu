// absent lane: a vote in a branch with the mask of the other side
#include "wrong.h"

__global__ void vote(unsigned *y, const int *x)
{
    int l = threadIdx.x;
    unsigned odd = __ballot_sync(0xffffffff, x[l] & 1), b;
    if (x[l] & 1)
        b = __ballot_sync(odd, x[l] > 10);
    else
#ifdef RIGHT
        b = __any_sync(~odd, x[l] > 20);
#else
        b = __any_sync(odd, x[l] > 20);             // HERE
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
