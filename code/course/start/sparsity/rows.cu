/* Tangled from chapters/course/sparsity-solutions.nw, "Slow: rows of many lengths".  Edit it there. */

// sparsity/rows: slow code
//
// y = A v for a matrix in CSR: row r has the values a[k] in the columns
// column[k], for k = begin[r] to begin[r + 1] - 1.  A block has 128
// threads, and the grid has ceil(rows / 4) blocks.  The start uses one
// thread of 32 and is right.  Some rows are empty, some have hundreds of
// numbers.  Find out from its counts what it wastes.

__global__ void rows_product(float *y, const float *a, const int *column,
                             const int *begin, const float *v, int rows)
{
    int r = blockIdx.x * 4 + threadIdx.x / 32;
    if (r >= rows || threadIdx.x % 32 > 0)
        return;
    float sum = 0;
    for (int k = begin[r]; k < begin[r + 1]; k++)
        sum += a[k] * v[column[k]];
    y[r] = sum;
}
