/* Tangled from chapters/course/memory-wall-solutions.nw, "A transpose for a processor".  Edit it there. */

// memory-wall/transpose: a transpose for a processor
//
// y is the transpose of x: y[c * rows + r] = x[r * columns + c].  One
// thread runs this.  Its cache has 32 KB, lines of 64 bytes and 8 ways, and
// the grader counts the lines that it fetches.  Whichever loop is the
// outer one, one of the two arrays is walked along its columns.

__global__ void transpose(float *y, const float *x, int rows, int columns)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            y[c * rows + r] = x[r * columns + c];
}
