// race: threads of all blocks add to a counter without atomics
// says: The blocks of a launch run in any order
#include "wrong.h"

__global__ void histogram(int *count, const int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
#ifdef RIGHT
        atomicAdd(&count[x[i] % 128], 1);
#else
        count[x[i] % 128]++;                    // HERE OTHER
#endif
    }
}

int main()
{
    int *x = numbers<int>(512), *count = zeroes<int>(128);
    histogram<<<4, 128>>>(count, x, 512);
    finish();
    cudaFree(x);
    cudaFree(count);
}
