// says: past the end of
__global__ void forward(float *y, unsigned *signs, const float *x, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    float v = i < n ? x[i] : 0;
    unsigned word = __ballot_sync(0xffffffff, v > 0);
    if (i >= n)
        return;
    y[i] = v > 0 ? v : 0;
    if (i % 32 == 0)
        signs[i / 4] = word;
}

__global__ void backward(float *dx, const unsigned *signs, const float *dy,
                         int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n)
        dx[i] = signs[i / 32] >> i % 32 & 1 ? dy[i] : 0;
}
