/* Tangled from chapters/course/cpu-matmul-solutions.nw, "Slow: three loops in another order".  Edit it there. */

__global__ void multiply(float *c, const float *a, const float *b, int rows,
                         int columns, int depth)
{
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < depth; k++)
            for (int j = 0; j < columns; j++)
                c[i * columns + j] += a[i * depth + k] * b[k * columns + j];
}
