// says: not every element
__global__ void batch(float *y, const float *x, const float *w, int n)
{
    __shared__ float s[8 * 64];
    int j = blockIdx.x * 128 + threadIdx.x;
    for (int i = threadIdx.x; i < 8 * 64; i += 128)
        s[i] = x[i];
    __syncthreads();
    if (j >= n)
        return;
    float sum[8] = { 0 };
    for (int k = 0; k < 64; k++) {
        float v = w[n * k + j];
        for (int r = 0; r < 7; r++)
            sum[r] = fmaf(s[64 * r + k], v, sum[r]);
    }
    for (int r = 0; r < 7; r++)
        y[n * r + j] = sum[r];
}
