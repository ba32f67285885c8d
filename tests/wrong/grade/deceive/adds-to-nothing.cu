// says: uninitialised: thread
// An output holds no zeros to add to.
__global__ void add(float *z, const float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&z[i], x[i] + y[i]);
}
