// says: requests to read .*over
__global__ void neighbours(int *y, const int *x, int rows, int columns)
{
    int r = blockIdx.y * 16 + threadIdx.y;
    int c = blockIdx.x * 16 + threadIdx.x, sum = 0;
    if (r >= rows || c >= columns)
        return;
    for (int i = max(r - 1, 0); i <= min(r + 1, rows - 1); i++)
        for (int j = max(c - 1, 0); j <= min(c + 1, columns - 1); j++)
            sum += x[i * columns + j];
    y[r * columns + c] = sum;
}
