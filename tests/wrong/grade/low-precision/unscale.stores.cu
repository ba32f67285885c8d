// says: sectors written .*over
__global__ void unscale(float *g, int *overflow, float inverse, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? g[i] : 0;
    if (i < n)
        g[i] = v * inverse;
    bool bad = !(fabsf(v) <= 3.402823466e38f);
    if (bad)
        overflow[0] = 1;
}
