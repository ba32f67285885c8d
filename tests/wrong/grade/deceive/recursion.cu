// says: calls itself
__device__ __attribute__((noinline)) float deep(volatile float *z, int n)
{
    return z[n] + deep(z, n + 1);
}
__global__ void add(float *z, const float *x, const float *y, int n)
{
    z[0] = deep(z, 0);
}
