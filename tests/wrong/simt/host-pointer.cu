// out of bounds: the kernel is given a pointer of the host
#include "wrong.h"

__global__ void scale(float *x)
{
    x[threadIdx.x] *= 2;                        // HERE
}

int main()
{
    float *h = (float *)calloc(32, sizeof *h), *x = numbers<float>(32);
#ifdef RIGHT
    scale<<<1, 32>>>(x);
#else
    scale<<<1, 32>>>(h);
#endif
    finish();
    cudaFree(x);
    free(h);
}
