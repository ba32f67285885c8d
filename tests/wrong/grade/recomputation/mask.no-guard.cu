// says: past the end of
__device__ bool kept(unsigned seed, unsigned i)
{
    unsigned h = (i ^ seed) * 0x9e3779b1u;
    h = (h ^ h >> 15) * 0x85ebca77u;
    return (h ^ h >> 13) >> 31;
}

__global__ void forward(float *y, int *mask, const float *x, int seed,
                        int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] = kept(seed, i) ? 2 * x[i] : 0;
}

__global__ void backward(float *dx, const int *mask, const float *dy,
                         int seed, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    dx[i] = kept(seed, i) ? 2 * dy[i] : 0;
}
