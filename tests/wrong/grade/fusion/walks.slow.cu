// says: sectors read .*over
__global__ void walks(float *y, const float *x, int n)
{
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    for (int i = first; i < n; i += threads)
        y[i] = sinf(x[i]);
    for (int i = first; i < n; i += threads)
        y[i] = y[i] * y[i];
    for (int i = first; i < n; i += threads)
        y[i] += cosf(x[i]) * cosf(x[i]);
}
