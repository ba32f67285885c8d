// says: the input x was changed
__global__ void scale(float *y, const float *x, float a, int n)
{
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        y[i] = a * x[i];
        ((float *)x)[i] = y[i];
    }
}
