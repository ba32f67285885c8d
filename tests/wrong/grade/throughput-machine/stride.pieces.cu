// says: ★☆☆☆ .*over its budget
__global__ void scale(float *y, const float *x, float a, int n)
{
    int threads = gridDim.x * blockDim.x;
    int piece = (n + threads - 1) / threads;
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * piece;
    for (int i = first; i < first + piece && i < n; i++)
        y[i] = a * x[i];
}
