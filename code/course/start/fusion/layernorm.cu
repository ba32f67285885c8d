/* Tangled from chapters/course/fusion-solutions.nw, "Residual and LayerNorm in one read".  Edit it there. */

// fusion/layernorm: residual and LayerNorm in one read
//
// For each row of c numbers: s = r + x, and y = (s - mean) * rstd * w + b,
// where mean is the mean of s in the row and rstd is 1 / sqrt of the mean
// of (s - mean) squared plus 0.00001f.  c is at most 256.  A block is one
// warp and has one row.  The kernel is right, and reads s from memory
// three times.  Keep the row in registers.

__device__ float sum_of_warp(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

__global__ void layernorm(float *y, float *s, const float *r,
                          const float *x, const float *w, const float *b,
                          int c)
{
    int row = blockIdx.x * c, lane = threadIdx.x;
    float sum = 0, squares = 0;
    for (int i = lane; i < c; i += 32)
        s[row + i] = r[row + i] + x[row + i];
    for (int i = lane; i < c; i += 32)
        sum += s[row + i];
    float mean = sum_of_warp(sum) / c;
    for (int i = lane; i < c; i += 32)
        squares += (s[row + i] - mean) * (s[row + i] - mean);
    float rstd = rsqrtf(sum_of_warp(squares) / c + 0.00001f);
    for (int i = lane; i < c; i += 32)
        y[row + i] = (s[row + i] - mean) * rstd * w[i] + b[i];
}
