/* Tangled from chapters/course/memory-hierarchy-solutions.nw, "A transpose without waste".  Edit it there. */

// memory-hierarchy/transpose: a transpose without waste
//
// y is the transpose of x: y[c * rows + r] = x[r * columns + c].  A block
// has 32 x 8 threads, and there is a block for each tile of 32 x 32
// elements: blockIdx.x counts tiles along a row of x, blockIdx.y along a
// column.  The kernel is right.  Its stores take 32 sectors each.  Bring
// them down to four, without a bank conflict.

__global__ void transpose(float *y, const float *x, int rows, int columns)
{
    int c = blockIdx.x * 32 + threadIdx.x;
    for (int k = threadIdx.y; k < 32; k += 8) {
        int r = blockIdx.y * 32 + k;
        if (r < rows && c < columns)
            y[c * rows + r] = x[r * columns + c];
    }
}
