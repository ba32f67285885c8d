/* Tangled from chapters/course/memory-wall-solutions.nw, "A transpose for a processor".  Edit it there. */

__global__ void transpose(float *y, const float *x, int rows, int columns)
{
    enum { TILE = 16 };
    for (int r0 = 0; r0 < rows; r0 += TILE)
        for (int c0 = 0; c0 < columns; c0 += TILE)
            for (int r = r0; r < r0 + TILE && r < rows; r++)
                for (int c = c0; c < c0 + TILE && c < columns; c++)
                    y[c * rows + r] = x[r * columns + c];
}
