// says: different sectors .*over
__device__ void tile_of_block(int block, int rows, int cols, int *row,
                              int *col)
{
    int group = block / (16 * cols), place = block % (16 * cols);
    int high = min(16, rows - 16 * group);
    *row = 16 * group + place % high;
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
