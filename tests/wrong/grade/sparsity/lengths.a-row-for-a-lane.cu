// says: sectors read .*over
__global__ void lengths(int *length, const float *x, int rows, int columns)
{
    int r = blockIdx.x * 128 + threadIdx.x, n = 0;
    if (r >= rows)
        return;
    for (int c = 0; c < columns; c++)
        n += x[r * columns + c] != 0;
    length[r] = n;
}
