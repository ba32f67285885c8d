/* Tangled from chapters/course/reduction-solutions.nw, "A histogram".  Edit it there. */

__global__ void histogram(int *y, const int *x, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, threads = gridDim.x * blockDim.x;
    if (t < 64)
        s[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += threads)
        atomicAdd(&s[x[i]], 1);
    __syncthreads();
    if (t < 64)
        atomicAdd(&y[t], s[t]);
}
