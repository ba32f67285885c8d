/* Functions through pointers: in a table, from the host, virtual.  (clang 14
 * cannot start a variable with the address of data.) */
#include <cstdio>

typedef int Operation(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ Operation *table[2] = { add, multiply };
__device__ Operation *chosen = add;

struct Shape {
    virtual __device__ int at(int x) = 0;
    virtual __device__ ~Shape() {}
};
struct Line : Shape {
    int k;
    __device__ Line(int k) : k(k) {}
    __device__ int at(int x) { return x + k; }
};
struct Ray : Shape {
    int k;
    __device__ Ray(int k) : k(k) {}
    __device__ int at(int x) { return x * k; }
};

__global__ void through(int *out, int n)
{
    int i = threadIdx.x;
    Operation *f = table[i % n];
    Line line(5);
    Ray ray(7);
    Shape *s = i % 3 ? (Shape *)&line : (Shape *)&ray;
    out[i] = f(i, 3) + 1000 * s->at(i);
}

__global__ void given(int *out, Operation *f)
{
    out[threadIdx.x] = f(threadIdx.x, 2);
}

int main()
{
    int *d, h[32], wrong = 0;
    Operation *f;
    cudaMalloc(&d, sizeof h);
    through<<<1, 32>>>(d, 2);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        wrong += h[i] != (i % 2 ? i * 3 : i + 3) +
            1000 * (i % 3 ? i + 5 : i * 7);
    cudaMemcpyFromSymbol(&f, chosen, sizeof f);
    given<<<1, 32>>>(d, f);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        wrong += h[i] != i + 2;
    cudaFree(d);
    printf("%d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
    return wrong != 0;
}
