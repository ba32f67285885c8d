// says: 1 of .* elements are wrong
__global__ void add(float *z, const float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = i == n / 2 ? x[i] - y[i] : x[i] + y[i];
}
