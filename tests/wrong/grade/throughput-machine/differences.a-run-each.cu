// says: sectors read .*over
__global__ void differences(float *y, const float *x, int n)
{
    int threads = gridDim.x * blockDim.x, count = n - 1;
    int each = (count + threads - 1) / threads;
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    for (int i = first; i < first + each && i < count; i++)
        y[i] = x[i + 1] - x[i];
}
