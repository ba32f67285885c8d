// A launch in an argument of a launch, and so on: sixteen, and one too many.
#include <stdio.h>

__global__ void add(int *sum, int) { *sum += 1; }

static int *sum;

static int launch(int deep)
{
    if (deep > 0)
        add<<<1, 1>>>(sum, launch(deep - 1));
    return deep;
}

int main()
{
    int n = 0;
    cudaMalloc(&sum, sizeof *sum);
    cudaMemcpy(sum, &n, sizeof n, cudaMemcpyHostToDevice);
    for (int deep = 16; deep <= 17; deep++) {
        launch(deep);
        cudaMemcpy(&n, sum, sizeof n, cudaMemcpyDeviceToHost);
        printf("%d: %s, %d\n", deep, cudaGetErrorName(cudaGetLastError()),
               n);
    }
    cudaFree(sum);
}
