// says: y\[[0-9]+\] is .*expected
__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

__global__ void layernorm(float *y, const float *x, int N, int C)
{
    int lane = threadIdx.x % 32;
    int n = blockIdx.x * 8 + threadIdx.x / 32;
    if (n >= N)
        return;
    x += n * C;
    y += n * C;
    float sum = 0, squares = 0;
    for (int c = lane; c < C; c += 32)
        sum += x[c];
    float m = warp_sum(sum) / C;
    for (int c = lane; c < C; c += 32)
        squares += x[c] * x[c];
    float v = warp_sum(squares) / C - m * m;
    for (int c = lane; c < C; c += 32)
        y[c] = (x[c] - m) / sqrtf(v + 1e-5f);
}
