// race: the producer fills the buffer again before the consumer has read it
#include "wrong.h"

static __device__ void wait(int barrier)
{
    asm volatile("bar.sync %0, 64;" :: "r"(barrier) : "memory");
}

static __device__ void arrive(int barrier)
{
    asm volatile("bar.arrive %0, 64;" :: "r"(barrier) : "memory");
}

__global__ void pipe(float *y, const float *x)
{
    __shared__ float s[32];
    int warp = threadIdx.x / 32, l = threadIdx.x % 32;
    if (warp == 0) {
        s[l] = x[l];                            // HERE OTHER
        arrive(1);
#ifdef RIGHT
        wait(3);
#endif
        s[l] = x[l + 32];                       // HERE OTHER
        arrive(2);
    } else {
        wait(1);
        float v = s[31 - l];                    // HERE OTHER
#ifdef RIGHT
        arrive(3);
#endif
        wait(2);
        y[l] = v - s[31 - l];                   // HERE OTHER
    }
}

int main()
{
    float *x = numbers<float>(64), *y = zeroes<float>(32);
    pipe<<<1, 64>>>(y, x);
    finish();
    cudaFree(x);
    cudaFree(y);
}
