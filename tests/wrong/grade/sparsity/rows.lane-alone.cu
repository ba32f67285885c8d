// says: requests to read .*over
__global__ void rows_product(float *y, const float *a, const int *column,
                             const int *begin, const float *v, int rows)
{
    int r = blockIdx.x * 4 + threadIdx.x / 32;
    if (r >= rows || threadIdx.x % 32 > 0)
        return;
    float sum = 0;
    for (int k = begin[r]; k < begin[r + 1]; k++)
        sum += a[k] * v[column[k]];
    y[r] = sum;
}
