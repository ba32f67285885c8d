/* Tangled from chapters/course/operators-solutions.nw, "Slow: the gradient of a bias, in C".  Edit it there. */

__global__ void bias_backward(float *dbias, const float *dy, int rows,
                              int columns)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            dbias[c] += dy[r * columns + c];
}
