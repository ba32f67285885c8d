// race: a tile publishes its sum and its status, with no fence between
#include "wrong.h"

__global__ void scan(int *y, volatile int *status, int *sums, const int *x)
{
    int k = blockIdx.x, before = 0;
    if (k > 0) {
        while (status[k - 1] == 0)
            ;
        __threadfence();
        before = sums[k - 1];                   // HERE
    }
    y[k] = sums[k] = before + x[k];             // OTHER
#ifdef RIGHT
    __threadfence();
#endif
    status[k] = 1;
}

int main()
{
    int *x = numbers<int>(8), *y = zeroes<int>(8), *sums = zeroes<int>(8);
    int *status = zeroes<int>(8);
    scan<<<8, 1>>>(y, status, sums, x);
    finish();
    cudaFree(x);
    cudaFree(y);
    cudaFree(sums);
    cudaFree(status);
}
