// says: uninitialised|expected
__global__ void walks(float *y, const float *x, int n)
{
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    for (int i = first; i < n; i += n) {
        float s = sinf(x[i]), c = cosf(x[i]);
        y[i] = s * s + c * c;
    }
}
