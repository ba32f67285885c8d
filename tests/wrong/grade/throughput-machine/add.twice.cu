// says: 2,?500.* over|over
__global__ void add(float *z, const float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = ((const volatile float *)x)[i] * 0.5f +
               ((const volatile float *)x)[i] * 0.5f + y[i];
}
