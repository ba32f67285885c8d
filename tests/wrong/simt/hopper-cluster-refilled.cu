// race: a multicast refills a buffer that the other block still reads
#include "wrong.h"
#include "bulk.h"
#include "cluster.h"

__global__ void kernel(float *y, const float *x)
{
    __shared__ __align__(128) float s[64];
    __shared__ Barrier full, empty;
    int t = threadIdx.x, b = blockIdx.x;
    if (t == 0) {
        bar_init(&full, 1);
        bar_init(&empty, 128);
        bar_ready();
    }
    cluster_sync();
    for (int k = 0; k < 2; k++) {
        if (t == 0)
            bar_expect(&full, 256);
        if (t == 0 && b == 0) {
#ifdef RIGHT
            if (k)
                bar_wait(&empty, 0);
#endif
            load_both(s, x + 64 * k, 256, &full);   // HERE
        }
        bar_wait(&full, k);
        y[128 * k + 64 * b + t] = s[t];
#ifdef RIGHT
        arrive_there(&empty, 0);
#endif
        __syncthreads();
    }
    cluster_sync();
}

int main()
{
    float *x = numbers<float>(1024), *y = zeroes<float>(1024);
    two_blocks(kernel, y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
