/* Tangled from chapters/course/memory-hierarchy-solutions.nw, "Broken: a tile with its border".  Edit it there. */

// memory-hierarchy/border: broken code
//
// y[r][c] is the sum of x[r][c] and its eight neighbours; neighbours
// outside the matrix count as 0.  A matrix has `rows` rows of `columns`
// ints, one row after the other.  A block of 16 x 16 threads computes a
// tile of 16 x 16 sums and loads its 18 x 18 numbers into shared memory.
// The kernel is wrong in three ways.

__global__ void neighbours(int *y, const int *x, int rows, int columns)
{
    __shared__ int tile[18][18];
    int t = threadIdx.y * 16 + threadIdx.x;
    for (int k = t; k < 17 * 18; k += 256) {
        int r = blockIdx.y * 16 + k / 18 - 1;
        int c = blockIdx.x * 16 + k % 18 - 1;
        tile[k / 18][k % 18] = r < rows && c < columns
                               ? x[r * columns + c] : 0;
    }
    int sum = 0;
    for (int dr = 0; dr < 3; dr++)
        for (int dc = 0; dc < 3; dc++)
            sum += tile[threadIdx.y + dr][threadIdx.x + dc];
    int r = blockIdx.y * 16 + threadIdx.y;
    int c = blockIdx.x * 16 + threadIdx.x;
    if (r < rows && c < columns)
        y[r * columns + c] = sum;
}
