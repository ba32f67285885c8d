/* Tangled from chapters/course/tensor-cores-solutions.nw, "Equal parts (hard)".  Edit it there. */

// tensor-cores/parts: equal parts
//
// Each of `tiles` tiles is a sum of `steps` rows of 32 floats: those of
// tile i are the rows steps * i to steps * (i + 1) - 1 of x, and row i of
// y is for their sum.  The start makes whole tiles, and most blocks do
// nothing.  Divide the rows evenly, as stream-K does.  Block b of the B
// blocks of `work` takes the rows from b R / B up to, not including, (b +
// 1) R / B, rounded down, where R = tiles * steps.  If it has all rows of
// a tile, it writes their sum to y.  Otherwise it writes the sum of those
// that it has to a row of part: to row 2 b for the tile in which its rows
// begin, to row 2 b + 1 for another one, in which they end.  All other
// rows of part stay 0, as they are.
//
// Then `join` runs, with a block for each tile.  It makes the rows of y
// that `work` has not written, from those of part.  All blocks are one
// warp, a lane for each column.  All products of these integers are below
// 2^31.

__global__ void work(float *y, float *part, const float *x, int tiles,
                     int steps)
{
    for (int i = blockIdx.x; i < tiles; i += gridDim.x) {
        float sum = 0;
        for (int k = 0; k < steps; k++)
            sum += x[32 * (steps * i + k) + threadIdx.x];
        y[32 * i + threadIdx.x] = sum;
    }
}

__global__ void join(float *y, const float *part, int tiles, int steps,
                     int blocks)
{
}
