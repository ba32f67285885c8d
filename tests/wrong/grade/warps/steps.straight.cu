// says: sectors read .*over
__global__ void steps(float *y, const float *x, int n)
{
    int t = threadIdx.x, odd = t >= 128;
    int i = blockIdx.x * 256 + t % 128 * 2 + odd;
    if (i >= n)
        return;
    float v = x[i];
#pragma unroll 1
    for (int k = odd ? 5 : 20; k > 0; k--)
        v = v * v - 0.5f;
    y[i] = v;
}
