// says: bytes of shared memory +33792 .*over
__device__ float block_sum(float v)
{
    __shared__ float s[256];
    __syncthreads();
    s[threadIdx.x] = v;
    for (int d = 128; d > 0; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
    }
    __syncthreads();
    return s[0];
}

__global__ void entropy(float *nats, const int *count, int V)
{
    __shared__ int kept[8192];
    float total = 0, sum = 0;
    for (int i = threadIdx.x; i < V; i += 256) {
        kept[i] = count[i];
        total += kept[i];
    }
    total = block_sum(total);
    for (int i = threadIdx.x; i < V; i += 256)
        if (kept[i] > 0)
            sum += kept[i] * logf(kept[i]);
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        *nats = logf(total) - sum / total;
}
