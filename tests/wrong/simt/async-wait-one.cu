// copy not waited for: the last tile is still on its way
#include "wrong.h"
#include "async.h"

__global__ void sum(float *y, const float *x, int tiles)
{
    __shared__ float s[2][64];
    int t = threadIdx.x;
    float total = 0;
    copy_async(&s[0][t], &x[t]);
    COMMIT();
#pragma unroll 1
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles)
            copy_async(&s[(k + 1) & 1][t], &x[(k + 1) * 64 + t]);
#ifdef RIGHT
        COMMIT();                   /* an empty group counts, too */
#else
        if (k + 1 < tiles)
            COMMIT();
#endif
        WAIT(1);
        __syncthreads();
        total += s[k & 1][63 - t];              // HERE
        __syncthreads();
    }
    y[t] = total;
}

int main()
{
    float *x = numbers<float>(256), *y = zeroes<float>(64);
    sum<<<1, 64>>>(y, x, 4);
    finish();
    cudaFree(x);
    cudaFree(y);
}
