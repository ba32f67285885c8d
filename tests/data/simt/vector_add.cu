// c = a + b, checked: the first program of every CUDA book.
#include <stdio.h>
#include <stdlib.h>

__global__ void vector_add(float *c, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000, wrong = 0;
    size_t bytes = n * sizeof(float);
    float *h = (float *)malloc(3 * bytes), *a, *b, *c;
    for (int i = 0; i < n; i++) {
        h[i] = 0.5f * i;
        h[n + i] = 1 - i;
    }
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);
    cudaMemcpy(a, h, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, h + n, bytes, cudaMemcpyHostToDevice);
    vector_add<<<(n + 255) / 256, 256>>>(c, a, b, n);
    cudaMemcpy(h + 2 * n, c, bytes, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        wrong += h[2 * n + i] != h[i] + h[n + i];
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    free(h);
    printf("%d of %d wrong, %s\n", wrong, n,
           cudaGetErrorString(cudaGetLastError()));
    return wrong != 0;
}
