// says: uninitialised: 
__global__ void batch(float *y, const float *x, const float *w, int n)
{
    __shared__ float s[8 * 64];
    int j = blockIdx.x * 128 + threadIdx.x;
    if (j >= n)
        return;
    for (int i = threadIdx.x; i < 8 * 64; i += 128)
        s[i] = x[i];
    __syncthreads();
    float sum[8] = { 0 };
    for (int k = 0; k < 64; k++) {
        float v = w[n * k + j];
        for (int r = 0; r < 8; r++)
            sum[r] = fmaf(s[64 * r + k], v, sum[r]);
    }
    for (int r = 0; r < 8; r++)
        y[n * r + j] = sum[r];
}
