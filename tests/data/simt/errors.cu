// What goes wrong, and the code CUDA gives it.  Without an argument: mistakes
// that a program survives.  With one: a kernel that does not come back.
// errors*.txt are what it printed on an H200, built by nvcc 13.0.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__global__ void fill(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = i;
}

__global__ void __launch_bounds__(128) bounded(int *p) { p[threadIdx.x] = 1; }

__global__ void dynamic(int *p)
{
    extern __shared__ int s[];
    s[threadIdx.x] = 1;
    p[threadIdx.x] = s[threadIdx.x];
}

__global__ void trap(void) { asm volatile("trap;"); }
__global__ void at(int *p, long i, int v) { p[i] = v; }
__global__ void odd(char *p) { *(volatile int *)(p + 1) = 5; }

__device__ int variable[4];

static void say(const char *what, cudaError_t e)
{
    cudaError_t last = cudaGetLastError();
    printf("%-34s %3d %-30s then %d\n", what, (int)e, cudaGetErrorName(e),
           (int)last);
}

static cudaError_t launched(void) { return cudaPeekAtLastError(); }

static void survives(void)
{
    int *p, *q, h[16] = { 0 }, device, value, blocks;
    cudaStream_t s;
    cudaEvent_t a, b;
    cudaDeviceProp prop;
    float ms;
    say("cudaMalloc", cudaMalloc(&p, 4096));
    say("cudaMalloc of 0 bytes", cudaMalloc(&q, 0));
    printf("%s\n", q ? "a pointer" : "NULL");
    say("cudaMalloc of 2^50 bytes", cudaMalloc(&q, (size_t)1 << 50));
    say("cudaFree(NULL)", cudaFree(NULL));
    say("cudaFree inside an allocation", cudaFree(p + 4));
    say("cudaFree of host memory", cudaFree(h));
    say("cudaFreeHost of host memory", cudaFreeHost(h));

    fill<<<0, 32>>>(p, 32);
    say("grid of 0 blocks", launched());
    fill<<<1, 0>>>(p, 32);
    say("block of 0 threads", launched());
    fill<<<1, 2048>>>(p, 32);
    say("block of 2048 threads", launched());
    fill<<<1, dim3(1, 1, 65)>>>(p, 32);
    say("block of 65 in z", launched());
    fill<<<dim3(1, 65536), 32>>>(p, 32);
    say("grid of 65536 in y", launched());
    bounded<<<1, 256>>>(p);
    say("beyond __launch_bounds__", launched());
    dynamic<<<1, 32, 50000>>>(p);
    say("50000 bytes of shared memory", launched());
    say("attribute: 100000 bytes", cudaFuncSetAttribute(dynamic,
        cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    dynamic<<<1, 32, 50000>>>(p);
    say("50000 bytes, after the attribute", launched());
    say("attribute: 300000 bytes", cudaFuncSetAttribute(dynamic,
        cudaFuncAttributeMaxDynamicSharedMemorySize, 300000));
    dynamic<<<1, 32, 300000>>>(p);
    say("300000 bytes of shared memory", launched());
    fill<<<1, 32>>>(p, 32);
    say("a good launch", launched());

    say("copy to NULL", cudaMemcpy(NULL, h, 4, cudaMemcpyHostToDevice));
    say("copy of 0 bytes to NULL",
        cudaMemcpy(NULL, h, 0, cudaMemcpyHostToDevice));
    say("device to host, exchanged",
        cudaMemcpy(p, h, 64, cudaMemcpyDeviceToHost));
    say("host to device, exchanged",
        cudaMemcpy(h, p, 64, cudaMemcpyHostToDevice));
    say("copy past the end",
        cudaMemcpy(p, p + 1000, 400 << 20, cudaMemcpyDeviceToDevice));
    say("copy in no direction", cudaMemcpy(p, h, 4, (cudaMemcpyKind)17));
    say("copy, direction left open", cudaMemcpy(h, p, 64, cudaMemcpyDefault));
    printf("%d %d\n", h[0], h[15]);
    say("cudaMemset of host memory", cudaMemset(h, 0, 64));
    say("symbol, too long", cudaMemcpyToSymbol(variable, h, 64));
    say("symbol", cudaMemcpyToSymbol(variable, h + 12, 16));
    say("symbol back", cudaMemcpyFromSymbol(h, variable, 8, 8));
    printf("%d %d\n", h[0], h[1]);

    say("device 7", cudaSetDevice(7));
    say("device 0", cudaSetDevice(0));
    say("which", cudaGetDevice(&device));
    say("properties of device 9", cudaGetDeviceProperties(&prop, 9));
    say("attribute", cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
    printf("%d\n", value);
    say("occupancy", cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, fill, 1024, 0));

    say("stream", cudaStreamCreate(&s));
    fill<<<1, 32, 0, s>>>(p, 32);
    say("launch into it", launched());
    say("wait for it", cudaStreamSynchronize(s));
    say("destroy it", cudaStreamDestroy(s));
    say("event", cudaEventCreate(&a));
    say("event without timing",
        cudaEventCreateWithFlags(&b, cudaEventDisableTiming));
    say("elapsed, never recorded", cudaEventElapsedTime(&ms, a, a));
    cudaEventRecord(a, 0);
    cudaEventRecord(b, 0);
    cudaDeviceSynchronize();
    say("elapsed, without timing", cudaEventElapsedTime(&ms, a, b));
    say("cudaFree", cudaFree(p));
    say("cudaFree again", cudaFree(p));
    say("at the end", cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int *p, h[4] = { 0 };
    if (!*how) {
        survives();
        return 0;
    }
    cudaMalloc(&p, 64);
    if (!strcmp(how, "null"))
        at<<<1, 1>>>(NULL, 0, 1);
    if (!strcmp(how, "host"))
        at<<<1, 1>>>((int *)malloc(4), 0, 1);
    if (!strcmp(how, "far"))
        at<<<1, 1>>>(p, 1l << 40, 1);
    if (!strcmp(how, "misaligned"))
        odd<<<1, 1>>>((char *)p);
    if (!strcmp(how, "trap"))
        trap<<<1, 1>>>();
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s: %d %s\n", how, (int)e, cudaGetErrorName(e));
    say("cudaMalloc after it", cudaMalloc(&p, 64));
    say("cudaMemcpy after it", cudaMemcpy(h, p, 4, cudaMemcpyDefault));
    return 0;
}
