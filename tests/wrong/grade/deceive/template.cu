// says: has no kernel 'add'
template <int N> __global__ void add(float *z, const float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = 0;
}
template __global__ void add<4>(float *, const float *, const float *, int);
