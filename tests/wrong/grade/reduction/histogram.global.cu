// says: bytes of atomic operations +65536 .*over
__global__ void histogram(int *y, const int *x, int n)
{
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        atomicAdd(&y[x[i]], 1);
}
