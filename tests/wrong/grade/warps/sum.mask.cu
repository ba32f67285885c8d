// says: y\[.*\] is nan, expected
__global__ void warp_sums(float *y, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = x[i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (i % 32 == 0)
        y[i / 32] = sum;
}
