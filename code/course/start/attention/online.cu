/* Tangled from chapters/course/attention-solutions.nw, "Softmax in one walk".  Edit it there. */

// attention/online: the sum of a softmax in one walk
//
// y[r] is the logarithm of the sum of exp(x[k]) over row r of x, which has
// `columns` floats up to 200 in magnitude.  The grid has a thread for each
// row, in blocks of 64.  The kernel is right and walks twice over its row:
// for the maximum, then for the sum.  Walk once.

__global__ void log_sum(float *y, const float *x, int rows, int columns)
{
    int r = blockIdx.x * 64 + threadIdx.x;
    if (r >= rows)
        return;
    float most = -INFINITY, sum = 0;
    for (int k = 0; k < columns; k++)
        most = fmaxf(most, x[r * columns + k]);
    for (int k = 0; k < columns; k++)
        sum += expf(x[r * columns + k] - most);
    y[r] = most + logf(sum);
}
