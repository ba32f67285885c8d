/* Tangled from chapters/course/recomputation-solutions.nw, "Slow: a stored copy".  Edit it there. */

// recomputation/normalised: slow code
//
// A row of x has 64 numbers.  Its normalised form is xhat = (x - mean) *
// rstd, with one mean and one rstd for each row.  The gradient of the
// scale is dscale[c], the sum over all rows r of dy[r][c] * xhat[r][c].
// The first kernel makes xhat and stores it, the second one reads it; the
// grid of the first has a thread for each number in blocks of 256, the
// second has 2 blocks of 32 threads, a thread for each column.  Both are
// right.  Do not store what a subtraction and a multiplication give:
// `xhat` stays as it is.

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
