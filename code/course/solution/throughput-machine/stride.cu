/* Tangled from chapters/course/throughput-machine-solutions.nw, "A grid that is smaller than the work".  Edit it there. */

__global__ void scale(float *y, const float *x, float a, int n)
{
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        y[i] = a * x[i];
}
