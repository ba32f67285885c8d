/* Tangled from chapters/course/recomputation-solutions.nw, "Slow: a stored copy".  Edit it there. */

__global__ void normalise(float *xhat, const float *x, const float *mean,
                          const float *rstd, int rows)
{
}

__global__ void gradient(float *dscale, const float *xhat, const float *dy,
                         const float *x, const float *mean,
                         const float *rstd, int rows)
{
    int c = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int r = 0; r < rows; r++)
        sum += dy[r * 64 + c] * ((x[r * 64 + c] - mean[r]) * rstd[r]);
    dscale[c] = sum;
}
