// says: sectors read .*over
__global__ void normalise(float *xhat, const float *x, const float *mean,
                          const float *rstd, int rows)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < rows * 64)
        xhat[i] = (x[i] - mean[i / 64]) * rstd[i / 64];
}

__global__ void gradient(float *dscale, const float *xhat, const float *dy,
                         const float *x, const float *mean,
                         const float *rstd, int rows)
{
    int c = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int r = 0; r < rows; r++)
        sum += dy[r * 64 + c] * xhat[r * 64 + c];
    dscale[c] = sum;
}
