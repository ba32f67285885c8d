// printf and assert in a kernel.
#include <assert.h>
#include <stdio.h>

__global__ void talk(int limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    printf("thread %d of %s: %.2f %c %lx %%\n", i, "many", i * 0.5, 'a' + i,
           0x123456789abcl + i);
    assert(i < limit);
}

int main(void)
{
    talk<<<1, 3>>>(3);
    printf("%d\n", (int)cudaDeviceSynchronize());
    talk<<<1, 3>>>(2);
    printf("%d\n", (int)cudaDeviceSynchronize());
    return 0;
}
