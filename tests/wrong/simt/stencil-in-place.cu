// race: one half of the points is new, the other half is not
#include "wrong.h"

__global__ void relax(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) {
        float v = 0.5f * (x[i - 1] + x[i + 1]); // HERE OTHER
        y[i] = v;                               // HERE OTHER
    }
}

int main()
{
    float *x = numbers<float>(512), *y = zeroes<float>(512);
#ifdef RIGHT
    relax<<<2, 256>>>(y, x, 512);
#else
    relax<<<2, 256>>>(x, x, 512);
#endif
    finish();
    cudaFree(x);
    cudaFree(y);
}
