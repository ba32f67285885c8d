// uninitialised: a bulk load of what nobody has written
#include "wrong.h"
#include "bulk.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ __align__(128) float s[64];
    __shared__ Barrier full;
    int t = threadIdx.x;
    if (t == 0) {
        bar_init(&full, 1);
        bar_ready();
        bar_expect(&full, 256);
        load(s, x, 256, &full);                 // HERE
    }
    __syncthreads();
    bar_wait(&full, 0);
    y[t] = s[t];
}

int main()
{
    float *x, *y = zeroes<float>(64);
    cudaMalloc(&x, 256);
#ifdef RIGHT
    cudaMemset(x, 0, 256);
#else
    cudaMemset(x, 0, 128);
#endif
    kernel<<<1, 64>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
