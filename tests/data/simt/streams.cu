// Two streams, events, pinned memory, a host function, a variable.
#include <stdio.h>

__device__ int turns;
__constant__ float factor[2];

__global__ void scale(float *x, int n, int which)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= factor[which];
    if (i == 0)
        atomicAdd(&turns, 1);
}

static void called(void *data) { *(int *)data += 1; }

int main(void)
{
    enum { N = 1000 };
    cudaStream_t s[2];
    cudaEvent_t begin, end;
    float *h, *d[2], f[2] = { 2, 3 }, ms = -1;
    int calls = 0, count = -1, bad = 0;
    cudaMallocHost(&h, 2 * N * sizeof *h);
    cudaMemcpyToSymbol(factor, f, sizeof f);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    for (int k = 0; k < 2; k++) {
        cudaStreamCreateWithFlags(&s[k], cudaStreamNonBlocking);
        cudaMallocAsync(&d[k], N * sizeof **d, s[k]);
        for (int i = 0; i < N; i++)
            h[k * N + i] = (float)i;
        cudaMemcpyAsync(d[k], h + k * N, N * sizeof *h,
                        cudaMemcpyHostToDevice, s[k]);
        scale<<<4, 256, 0, s[k]>>>(d[k], N, k);
        cudaMemcpyAsync(h + k * N, d[k], N * sizeof *h,
                        cudaMemcpyDeviceToHost, s[k]);
        cudaLaunchHostFunc(s[k], called, &calls);
    }
    cudaEventRecord(end, s[1]);
    cudaStreamWaitEvent(s[0], end, 0);
    for (int k = 0; k < 2; k++) {
        cudaStreamSynchronize(s[k]);
        cudaFreeAsync(d[k], s[k]);
        cudaStreamDestroy(s[k]);
    }
    cudaEventElapsedTime(&ms, begin, end);
    cudaMemcpyFromSymbol(&count, turns, sizeof count);
    for (int i = 0; i < N; i++)
        bad += h[i] != 2.0f * i || h[N + i] != 3.0f * i;
    cudaFreeHost(h);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    printf("%d wrong, %d calls, %d launches, %s, %s\n", bad, calls, count,
           ms > 0 && ms < 60000 ? "time passed" : "no time",
           cudaGetErrorString(cudaGetLastError()));
    return 0;
}
