// says: requests to read .*over
__global__ void log_sum(float *y, const float *x, int rows, int columns)
{
    int r = blockIdx.x * 64 + threadIdx.x;
    if (r >= rows)
        return;
    float most = -INFINITY, sum = 0;
    for (int k = 0; k < columns; k++)
        most = fmaxf(most, x[r * columns + k]);
    for (int k = 0; k < columns; k++)
        sum += expf(x[r * columns + k] - most);
    y[r] = most + logf(sum);
}
