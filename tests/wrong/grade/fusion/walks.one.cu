// says: y\[[0-9]+\] is 1, expected
__global__ void walks(float *y, const float *x, int n)
{
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    for (int i = first; i < n; i += threads) {
        float s = 1, c = 0;
        y[i] = s * s + c * c;
    }
}
