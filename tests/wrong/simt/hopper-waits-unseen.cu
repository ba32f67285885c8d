// race: threads wait for a barrier before its init is known
#include "wrong.h"
#include "bulk.h"
__global__ void kernel(float *y, const float *x)
{
    __shared__ Barrier done;
    __shared__ __align__(128) float s[64];
    int t = threadIdx.x;
    if (t == 0) {
        bar_init(&done, 1);
        bar_ready();
        bar_expect(&done, 256);
        load(s, x, 256, &done);
    }
#ifdef RIGHT
    __syncthreads();
#endif
    bar_wait(&done, 0);                        // HERE
    y[t] = s[t];
}
int main()
{
    float *x = numbers<float>(1024), *y = zeroes<float>(1024);
    kernel<<<1, 64>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
