// says: shared memory requests .*over
__global__ void warp_sums(float *y, const float *x, int n)
{
    __shared__ volatile float s[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    s[t] = i < n ? x[i] : 0;
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
        float other = t % 32 < d ? s[t + d] : 0;
        __syncwarp();
        s[t] += other;
        __syncwarp();
    }
    if (i % 32 == 0 && i < n)
        y[i / 32] = s[t];
}
