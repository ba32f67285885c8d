// Every second byte is written, and copied twice: to the host come 256 bytes
// of which 128 were never written.
#include <stdio.h>

__global__ void fill(char *x)
{
    int i = threadIdx.x;
    x[2 * i] = 1;
}

int main()
{
    static char h[256];
    char *x, *y;
    cudaMalloc(&x, sizeof h);
    cudaMalloc(&y, sizeof h);
    fill<<<1, 128>>>(x);
    cudaMemcpy(y, x, sizeof h, cudaMemcpyDeviceToDevice);
    cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
    puts(cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(x);
    cudaFree(y);
}
