// leak: a buffer taken in every step, freed in none
#include "wrong.h"

__global__ void fill(float *x)
{
    x[threadIdx.x] = 1;
}

int main()
{
    for (int step = 0; step < 3; step++) {
        float *x = zeroes<float>(64);
        fill<<<1, 64>>>(x);
#ifdef RIGHT
        cudaFree(x);
#endif
    }
    finish();
}
