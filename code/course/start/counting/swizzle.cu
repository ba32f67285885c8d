/* Tangled from chapters/course/counting-solutions.nw, "A transpose without padding".  Edit it there. */

// counting/swizzle: a transpose without padding
//
// y is the transpose of x, which has n rows and n columns: y[n r + c] =
// x[n c + r].  A block has 32 x 8 threads and one tile of 32 x 32 floats;
// the grid has a block for each tile, also for those that reach beyond
// the matrix.  The kernel is right, and the loads of a column of the tile
// conflict in their banks.  Remove the conflicts.  A block may declare
// 4096 bytes of shared memory, as it does now, and not one more.

__global__ void transpose(float *y, const float *x, int n)
{
    __shared__ float s[32][32];
    int row = blockIdx.y * 32, column = blockIdx.x * 32, c = threadIdx.x;
    for (int r = threadIdx.y; r < 32; r += 8)
        if (row + r < n && column + c < n)
            s[r][c] = x[n * (row + r) + column + c];
    __syncthreads();
    for (int r = threadIdx.y; r < 32; r += 8)
        if (column + r < n && row + c < n)
            y[n * (column + r) + row + c] = s[c][r];
}
