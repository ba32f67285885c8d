/* Tangled from chapters/course/sparsity-solutions.nw, "How long are the rows?".  Edit it there. */

// sparsity/lengths: how long are the rows?
//
// length[r] is how many numbers of row r of x are not zero.  The matrix x
// has `rows` rows of `columns` floats, one row after the other.  A block
// has 128 threads, and the grid has ceil(rows / 4) blocks: a warp for each
// row.  The kernel is right, but one lane of each warp does all the work.
// Let the warp read its row with all lanes, and count with as few
// instructions as you can.

__global__ void lengths(int *length, const float *x, int rows, int columns)
{
    int r = blockIdx.x * 4 + threadIdx.x / 32;
    if (r >= rows || threadIdx.x % 32 > 0)
        return;
    int n = 0;
    for (int c = 0; c < columns; c++)
        n += x[r * columns + c] != 0;
    length[r] = n;
}
