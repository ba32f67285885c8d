// says: sectors read .*over
__global__ void batch(float *y, const float *x, const float *w, int n)
{
    int j = blockIdx.x * 128 + threadIdx.x;
    if (j >= n)
        return;
    for (int r = 0; r < 8; r++) {
        float sum = 0;
        for (int k = 0; k < 64; k++)
            sum += x[64 * r + k] * w[n * k + j];
        y[n * r + j] = sum;
    }
}
