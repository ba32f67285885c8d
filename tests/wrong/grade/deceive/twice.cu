// says: sectors written .*over
// The same bytes from two blocks, one after the other or not.
__global__ void add(float *z, const float *x, const float *y, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        z[i] = x[i] + y[i];
}
