// use after free: two names for one buffer, both freed
#include "wrong.h"

int main()
{
    float *x = zeroes<float>(64), *y = x;
#ifdef RIGHT
    y = NULL;
#endif
    cudaFree(x);
    cudaFree(y);
    finish();
}
