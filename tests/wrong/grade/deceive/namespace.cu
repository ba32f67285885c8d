// says: has no kernel .add.
// Its name has a namespace before it.
namespace a {
__global__ void add(float *z, const float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = 0;
}
}
