// nothing: all who find a negative number write the same flag
#include "wrong.h"

__global__ void any_negative(int *flag, const int *x)
{
    if (x[blockIdx.x * blockDim.x + threadIdx.x] % 3 == 0)
        *flag = 1;
}

int main()
{
    int *x = numbers<int>(256), *flag = zeroes<int>(1);
    any_negative<<<4, 64>>>(flag, x);
    finish();
    cudaFree(x);
    cudaFree(flag);
}
