/* Tangled from chapters/course/throughput-machine-solutions.nw, "A grid of two dimensions".  Edit it there. */

// throughput-machine/mirror: a grid of two dimensions
//
// y is the picture x, seen in a mirror: y[r][c] = x[r][width - 1 - c].  A
// picture has `height` rows of `width` bytes, one row after the other.  A
// block has 32 x 8 threads, and the grid has as many blocks as are needed
// in both directions: threadIdx.x and blockIdx.x count columns, the others
// rows.  The start mirrors only what one block can.

__global__ void mirror(unsigned char *y, const unsigned char *x, int width,
                       int height)
{
    int c = threadIdx.x, r = threadIdx.y;
    if (c < width && r < height)
        y[r * width + c] = x[r * width + width - 1 - c];
}
