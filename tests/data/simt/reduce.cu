// A sum by shuffles within warps and shared memory between them.
#include <stdio.h>

__global__ void sum(float *out, const float *in, int n)
{
    __shared__ float partial[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        s += in[i];
    for (int d = 16; d > 0; d /= 2)
        s += __shfl_xor_sync(0xffffffffu, s, d);
    if (lane == 0)
        partial[warp] = s;
    __syncthreads();
    if (warp == 0) {
        s = lane < blockDim.x / 32 ? partial[lane] : 0.0f;
        for (int d = 16; d > 0; d /= 2)
            s += __shfl_xor_sync(0xffffffffu, s, d);
        if (lane == 0)
            atomicAdd(out, s);
    }
}

int main(void)
{
    enum { N = 100000 };
    static float h[N];
    float *in, *out, total = 0;
    double exact = 0;
    for (int i = 0; i < N; i++)
        exact += h[i] = (float)(i * 7919 % 1000) - 500;
    cudaMalloc(&in, sizeof h);
    cudaMalloc(&out, sizeof *out);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof *out);
    sum<<<8, 256>>>(out, in, N);
    cudaMemcpy(&total, out, sizeof total, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    printf("%g, exactly %g: %s\n", total, exact,
           cudaGetErrorString(cudaGetLastError()));
    return total != exact;
}
