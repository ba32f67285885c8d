// race: each thread has waited for its own copy, not for the others'
// says: put __syncthreads() after the wait
#include "wrong.h"
#include "async.h"

__global__ void reverse(float *y, const float *x)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    copy_async(&s[t], &x[t]);                   // OTHER
    COMMIT();
    WAIT(0);
#ifdef RIGHT
    __syncthreads();
#endif
    y[t] = s[63 - t];                           // HERE
}

int main()
{
    float *x = numbers<float>(64), *y = zeroes<float>(64);
    reverse<<<1, 64>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
