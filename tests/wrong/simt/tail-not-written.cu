// uninitialised: whole float4s only, and the host copies all 1001
// says: reads 4004 bytes of which 4 were never written; the first is byte 4000
#include "wrong.h"

__global__ void fill(float *x, int n)
{
    int i = threadIdx.x;
    for (int k = i; k < n / 4; k += blockDim.x)
        ((float4 *)x)[k] = make_float4(1, 1, 1, 1);
#ifdef RIGHT
    if (i < n % 4)
        x[n / 4 * 4 + i] = 1;
#endif
}

int main()
{
    static float h[1001];
    float *x;
    cudaMalloc(&x, sizeof h);
    fill<<<1, 128>>>(x, 1001);
    cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
    finish();
    cudaFree(x);
}
