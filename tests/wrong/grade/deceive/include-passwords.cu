// says: does not compile|own folder only
#include "/etc/passwd"
__global__ void add(float *z, const float *x, const float *y, int n) { }
