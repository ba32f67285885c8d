// says: own folder only|does not compile
#include "/dev/zero"
__global__ void add(float *z, const float *x, const float *y, int n) { }
