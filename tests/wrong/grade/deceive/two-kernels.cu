// says: elements are wrong
// The first of the two is found; which of them is right is not tried out.
namespace a { __global__ void add(float *z, const float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = 0;
} }
