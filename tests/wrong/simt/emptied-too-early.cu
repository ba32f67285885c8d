// race: the consumer gives the place back before it has read it
#include "wrong.h"

__global__ void pipe(int *y, const int *x, int n)
{
    __shared__ volatile int filled, emptied;
    __shared__ int box;
    int t = threadIdx.x, sum = 0;
    if (t == 0)
        filled = emptied = 0;
    __syncthreads();
    if (t == 0) {
        for (int k = 0; k < n; k++) {
            while (emptied != k)
                ;
            __threadfence_block();
            box = x[k];                         // HERE OTHER
            __threadfence_block();
            filled = k + 1;
        }
    } else if (t == 32) {
        for (int k = 0; k < n; k++) {
            while (filled <= k)
                ;
            __threadfence_block();
#ifdef RIGHT
            sum += box;
            __threadfence_block();
            emptied = k + 1;
#else
            __threadfence_block();
            emptied = k + 1;
            sum += box;                         // HERE OTHER
#endif
        }
        *y = sum;
    }
}

int main()
{
    int *x = numbers<int>(10), *y = zeroes<int>(1);
    pipe<<<1, 64>>>(y, x, 10);
    finish();
    cudaFree(x);
    cudaFree(y);
}
