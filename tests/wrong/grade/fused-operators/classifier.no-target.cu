// says: x\[[0-9]+\] is .*expected
__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

__device__ float warp_max(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, d));
    return v;
}

__global__ void classifier(float *loss, float *x, const int *target, int N,
                           int C)
{
    int lane = threadIdx.x % 32;
    int n = blockIdx.x * 8 + threadIdx.x / 32;
    if (n >= N)
        return;
    x += n * C;
    int t = target[n];
    float logit = x[t], m = -INFINITY, sum = 0;
    for (int c = lane; c < C; c += 32)
        m = fmaxf(m, x[c]);
    m = warp_max(m);
    for (int c = lane; c < C; c += 32)
        sum += expf(x[c] - m);
    sum = warp_sum(sum);
    __syncwarp();       // all lanes have read x[t]
    for (int c = lane; c < C; c += 32)
        x[c] = expf(x[c] - m) / sum;
    if (lane == 0)
        loss[n] = logf(sum) + m - logit;
}
