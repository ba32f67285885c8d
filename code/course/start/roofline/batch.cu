/* Tangled from chapters/course/roofline-solutions.nw, "Eight rows at once".  Edit it there. */

// roofline/batch: eight rows at once
//
// y[r][j] is the sum over k of x[r][k] w[k][j]: x has 8 rows of 64 floats,
// w has 64 rows of n, and y has 8 rows of n, one row after the other.  The
// grid has a thread for each column j, in blocks of 128.  The kernel is
// right, and reads each weight eight times: half a FLOP for each byte of
// w.  Read each weight once, and each number of x once in a block.

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
