// says: not every element
__global__ void differences(float *y, const float *x, int n)
{
    int stride = gridDim.x * blockDim.x, count = n - 2;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += stride)
        y[i] = x[i + 1] - x[i];
}
