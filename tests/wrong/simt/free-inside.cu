// use after free: frees a pointer that has moved on
#include "wrong.h"

int main()
{
    float *x = zeroes<float>(64), *p = x;
#ifndef RIGHT
    p += 16;
#endif
    if (cudaFree(p) != cudaSuccess)
        cudaFree(x);
    finish();
}
