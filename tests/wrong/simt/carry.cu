// race: all lanes read the carry, the last one writes the next
#include "wrong.h"

__global__ void running_sum(int *y, const int *x)
{
    __shared__ int carry;
    int l = threadIdx.x;
    if (l == 0)
        carry = 0;
    __syncwarp();
#pragma unroll 1
    for (int i = l; i < 128; i += 32) {
        int v = x[i];
        for (int d = 1; d < 32; d *= 2) {
            int up = __shfl_up_sync(0xffffffff, v, d);
            v += l >= d ? up : 0;
        }
        v += carry;                             // OTHER
        y[i] = v;
#ifdef RIGHT
        __syncwarp();
#endif
        if (l == 31)
            carry = v;                          // HERE
        __syncwarp();
    }
}

int main()
{
    int *x = numbers<int>(128), *y = zeroes<int>(128);
    running_sum<<<1, 32>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
