/* Tangled from chapters/course/memory-wall-solutions.nw, "The sums of columns".  Edit it there. */

// memory-wall/columns: the sums of columns, slowly
//
// x has `rows` rows and `columns` columns: element (r, c) is
// x[r * columns + c].  y[c] is the sum of column c.  This is a function for
// a processor: one thread runs it.  The grader counts the lines of 64 bytes
// that the thread's cache fetches, a cache of 32 KB with 8 ways.  The
// result is right.  Why does nearly every addition fetch a line?

__global__ void column_sums(float *y, const float *x, int rows,
                            int columns)
{
    for (int c = 0; c < columns; c++) {
        float sum = 0;
        for (int r = 0; r < rows; r++)
            sum += x[r * columns + c];
        y[c] = sum;
    }
}
