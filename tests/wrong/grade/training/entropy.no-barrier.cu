// says: race: thread
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
    return s[0];
}

__global__ void entropy(float *nats, const int *count, int V)
{
    float total = 0, sum = 0;
    for (int i = threadIdx.x; i < V; i += 256) {
        float c = count[i];
        total += c;
        if (c > 0)
            sum += c * logf(c);
    }
    total = block_sum(total);
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        *nats = logf(total) - sum / total;
}
