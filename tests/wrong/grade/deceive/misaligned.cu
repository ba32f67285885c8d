// says: misaligned: thread
__global__ void add(float *z, const float *x, const float *y, int n)
{
    *(double *)(z + 1) = 0;
}
