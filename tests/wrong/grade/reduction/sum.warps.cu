// says: bytes of atomic operations +256 .*over
__device__ int sum_of_warp(int v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}

__global__ void sum(int *y, const int *x, int n)
{
    int t = threadIdx.x, threads = gridDim.x * blockDim.x, v = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += threads)
        v += x[i];
    v = sum_of_warp(v);
    if (t % 32 == 0)
        atomicAdd(y, v);
}
