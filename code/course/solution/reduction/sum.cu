/* Tangled from chapters/course/reduction-solutions.nw, "One sum of all numbers".  Edit it there. */

__device__ int sum_of_warp(int v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}

__global__ void sum(int *y, const int *x, int n)
{
    __shared__ int s[8];
    int t = threadIdx.x, threads = gridDim.x * blockDim.x, v = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += threads)
        v += x[i];
    v = sum_of_warp(v);
    if (t % 32 == 0)
        s[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        v = sum_of_warp(t < 8 ? s[t] : 0);
        if (t == 0)
            atomicAdd(y, v);
    }
}
