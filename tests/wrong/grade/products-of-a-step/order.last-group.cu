// says: past the end of
__device__ void tile_of_block(int block, int rows, int cols, int *row,
                              int *col)
{
    int group = block / (4 * cols), place = block % (4 * cols);
    int high = 4;
    *row = 4 * group + place % high;
    *col = place / high;
}

__global__ void matmul(float *c, const float *a, const float *b, int rows,
                       int cols, int first)
{
    int row, col;
    tile_of_block(first + blockIdx.x, rows, cols, &row, &col);
    int m = 8 * row + threadIdx.x / 8, n = 8 * col + threadIdx.x % 8;
    float sum = 0;
    for (int k = 0; k < 16; k++)
        sum += a[16 * m + k] * b[8 * cols * k + n];
    c[8 * cols * m + n] = sum;
}
