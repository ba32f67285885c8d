/* Tangled from chapters/course/memory-wall-solutions.nw, "The sums of columns".  Edit it there. */

__global__ void column_sums(float *y, const float *x, int rows,
                            int columns)
{
    for (int c = 0; c < columns; c++)
        y[c] = 0;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            y[c] += x[r * columns + c];
}
