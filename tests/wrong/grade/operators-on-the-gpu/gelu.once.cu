// says: not every element of y was written
__device__ float gelu(float x)
{
    return x / (1 + expf(-1.702f * x));
}

__global__ void gelu_all(float *y, const float *x, int n)
{
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += n)
        y[i] = gelu(x[i]);
}
