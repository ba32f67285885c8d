// says: overflow\[0\] is 0, expected 1
__global__ void unscale(float *g, int *overflow, float inverse, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? g[i] : 0;
    if (i < n)
        g[i] = v * inverse;
    bool bad = !(v <= 3.402823466e38f);
    if (__syncthreads_or(bad) && threadIdx.x == 0)
        atomicOr(overflow, 1);
}
