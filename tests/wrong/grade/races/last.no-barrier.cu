// says: race: |uninitialised
__device__ int block_sum(int v, int *s)
{
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    return s[0];
}

__global__ void total(int *y, int *part, unsigned *done, const int *x,
                      int n)
{
    __shared__ int s[256];
    __shared__ bool last;
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    int v = block_sum(i < n ? x[i] : 0, s);
    if (t == 0) {
        part[blockIdx.x] = v;
        __threadfence();
        last = atomicAdd(done, 1) == gridDim.x - 1;
        __threadfence();
    }
    if (!last)
        return;
    v = block_sum(t < gridDim.x ? part[t] : 0, s);
    if (t == 0)
        y[0] = v;
}
