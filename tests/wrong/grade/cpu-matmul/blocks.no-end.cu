// says: past the end of
__global__ void multiply(float *c, const float *a, const float *b, int rows,
                         int columns, int depth)
{
    for (int part = 0; part < depth; part += 4)
        for (int i = 0; i < rows; i++)
            for (int k = part; k < part + 4; k++)
                for (int j = 0; j < columns; j++)
                    c[i * columns + j] +=
                        a[i * depth + k] * b[k * columns + j];
}
