/* Tangled from chapters/course/sparsity-solutions.nw, "Broken: rows that are padded".  Edit it there. */

// sparsity/padding: broken code
//
// y = A v for a matrix in ELL: each row has `width` places, filled up at
// the end with column -1.  Place k of row r is at k * rows + r in `a` and
// in `column`, so that neighbouring threads read neighbours.  The grid has
// a thread for each row, in blocks of 128.  v has `columns` elements.  The
// value beside a -1 may be anything, also NaN.  The kernel is wrong in two
// ways.

__global__ void padded(float *y, const float *a, const int *column,
                       const float *v, int rows, int width)
{
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0;
    for (int k = 0; k < width; k++) {
        int c = column[r * width + k];
        sum += a[r * width + k] * v[c < 0 ? 0 : c];
    }
    y[r] = sum;
}
