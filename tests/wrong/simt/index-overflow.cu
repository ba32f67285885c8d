// out of bounds: row times width does not fit an int
#include "wrong.h"

__global__ void touch(float *x, int width, int rows)
{
    int r = threadIdx.x;
#ifdef RIGHT
    if (r < rows)
        x[(size_t)r * width / 100000000] = 1;
#else
    if (r < rows)
        x[r * width / 4] = 1;                   // HERE
#endif
}

int main()
{
    float *x = zeroes<float>(64);
    touch<<<1, 32>>>(x, 1 << 27, 32);
    finish();
    cudaFree(x);
}
