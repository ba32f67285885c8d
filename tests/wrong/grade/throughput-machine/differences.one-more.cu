// says: past the end of
__global__ void differences(float *y, const float *x, int n)
{
    int stride = gridDim.x * blockDim.x, count = n;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += stride)
        y[i] = x[i + 1] - x[i];
}
