/* Tangled from chapters/course/products-of-a-step-solutions.nw, "Slow: which tile does a block take?".  Edit it there. */

// products-of-a-step/order: slow code
//
// c = a b.  a has 8 * rows rows of 16 floats, b has 16 rows of 8 * cols.
// A block of 64 threads makes a tile of 8 x 8, so c has rows x cols tiles.
// The GPU has places for 16 blocks, and so the grader launches the blocks
// in waves of 16: `first` is the number of a wave's first block, and the
// last wave may have fewer.  The L2 cache keeps whatever the blocks of a
// wave have read, and is emptied at the end of the wave.
//
// The kernel is right.  Let the blocks of a wave read fewer different
// sectors.  `tile_of_block` decides which tile a block makes, and any
// order is right in which each tile has exactly one block.

__device__ void tile_of_block(int block, int rows, int cols, int *row,
                              int *col)
{
    *row = block / cols;
    *col = block % cols;
}

__global__ void matmul(float *c, const float *a, const float *b, int rows,
                       int cols, int first)
{
    int row, col;
    tile_of_block(first + blockIdx.x, rows, cols, &row, &col);
    int m = 8 * row + threadIdx.x / 8, n = 8 * col + threadIdx.x % 8;
    float sum = 0;
    for (int k = 0; k < 16; k++)
        sum += a[16 * m + k] * b[8 * cols * k + n];
    c[8 * cols * m + n] = sum;
}
