// race: an arrival that comes before what it should announce
#include "wrong.h"
#include "bulk.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ Barrier done;
    __shared__ float s[32];
    int t = threadIdx.x;
    if (t == 0)
        bar_init(&done, 32);
    __syncthreads();
    if (t < 32) {
#ifdef RIGHT
        s[t] = x[t];
        bar_arrive(&done);
#else
        bar_arrive(&done);
        s[t] = x[t];
#endif
    } else {
        bar_wait(&done, 0);
        y[t] = s[63 - t];                       // HERE
    }
}

int main()
{
    float *x = numbers<float>(1024), *y = zeroes<float>(1024);
    kernel<<<1, 64>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
