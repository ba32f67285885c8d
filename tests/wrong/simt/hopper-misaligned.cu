// misaligned: a bulk copy of 8 bytes further in
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
        bar_expect(&full, sizeof s);
#ifdef RIGHT
        load(s, x + 4, sizeof s, &full);
#else
        load(s, x + 2, sizeof s, &full);        // HERE
#endif
    }
    __syncthreads();
    bar_wait(&full, 0);
    y[t] = s[63 - t];
}

int main()
{
    float *x = numbers<float>(1024), *y = zeroes<float>(1024);
    kernel<<<1, 64>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
