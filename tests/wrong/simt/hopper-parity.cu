// copy not waited for: the parity never changes
#include "wrong.h"
#include "bulk.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ __align__(128) float s[64];
    __shared__ Barrier full, empty;
    int t = threadIdx.x;
    if (t == 0) {
        bar_init(&full, 1);
        bar_init(&empty, 32);
        bar_ready();
    }
    __syncthreads();
    if (t == 0)
        for (int k = 0; k < 4; k++) {
            if (k)
                bar_wait(&empty, (k - 1) & 1);
            bar_expect(&full, sizeof s);
            load(s, x + 64 * k, sizeof s, &full);
        }
    if (t >= 32)
        for (int k = 0; k < 4; k++) {
#ifdef RIGHT
            bar_wait(&full, k & 1);
#else
            bar_wait(&full, 1);
#endif
            y[64 * k + t] = s[t] + s[t - 32];   // HERE
            bar_arrive(&empty);
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
