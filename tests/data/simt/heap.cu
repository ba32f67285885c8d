/* malloc, free, new and delete in kernels. */
#include <cstdio>
#include <cstring>

struct Counter {
    int value;
    __device__ Counter(int v) : value(v) {}
    virtual __device__ ~Counter() { value = -1; }
    virtual __device__ int next() { return ++value; }
};

__global__ void per_thread(int *out)
{
    int n = threadIdx.x % 7 + 1, sum = 0;
    int *p = (int *)malloc(n * sizeof *p);
    if (!p)
        return;
    for (int i = 0; i < n; i++)
        p[i] = i + threadIdx.x;
    for (int i = 0; i < n; i++)
        sum += p[i];
    out[threadIdx.x] = sum;
    free(p);
}

__global__ void per_block(int *out)
{
    __shared__ int *row;
    if (threadIdx.x == 0)
        row = new int[blockDim.x];
    __syncthreads();
    row[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = row[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        delete[] row;
}

__global__ void make(Counter **c) { *c = new Counter(41); }
__global__ void use(Counter **c, int *out) { *out = (*c)->next(); }
__global__ void destroy(Counter **c) { delete *c; free(nullptr); }

__global__ void too_much(int *out, size_t bytes)
{
    void *volatile a = malloc(bytes), *volatile b = malloc(bytes);
    *out = (a != nullptr) + 2 * (b != nullptr);
    free(a);
    free(b);
}

__global__ void mistake(int *out, int kind)
{
    volatile int *p = (int *)malloc(40);
    if (kind == 0)
        out[0] = p[3];
    if (kind == 1)
        p[10] = 1;
    free((void *)p);
    if (kind == 2)
        free((void *)p);
    if (kind == 3)
        out[0] = p[0];
    if (kind == 4)
        free(out + 1);
}

static int wrong, *d, h[96];
static void expect(const char *what, int i, int is, int want)
{
    if (is != want && wrong++ < 10)
        printf("%s %d: %d, not %d\n", what, i, is, want);
}
static void fetch() { cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost); }

int main(int argc, char **argv)
{
    Counter **c;
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    if (argc > 1) {
        mistake<<<1, 1>>>(d, argv[1][0] - '0');
        printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
        return 0;
    }
    per_thread<<<1, 96>>>(d);
    fetch();
    for (int i = 0; i < 96; i++) {
        int n = i % 7 + 1;
        expect("a thread's", i, h[i], n * i + n * (n - 1) / 2);
    }
    per_block<<<1, 96>>>(d);
    fetch();
    for (int i = 0; i < 96; i++)
        expect("a block's", i, h[i], 95 - i);
    cudaMalloc(&c, sizeof *c);
    make<<<1, 1>>>(c);
    use<<<1, 1>>>(c, d);
    destroy<<<1, 1>>>(c);
    fetch();
    expect("another kernel's", 0, h[0], 42);
    too_much<<<1, 1>>>(d, 5 << 20);
    fetch();
    expect("of 8 MB", 0, h[0], 1);
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20);
    too_much<<<1, 1>>>(d, 5 << 20);
    fetch();
    expect("of 16 MB", 0, h[0], 3);
    cudaFree(c);
    cudaFree(d);
    printf("%d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
    return wrong != 0;
}
