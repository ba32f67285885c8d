// says: parameter 4 of kernel 'add' has 8 bytes
__global__ void add(float *z, const float *x, const float *y, long n) { }
