// says: sectors read .*over
__global__ void rows_product(float *y, const float *a, const int *column,
                             const int *begin, const float *v, int rows)
{
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    float sum = 0;
    int end = begin[r + 1];
    int first = begin[r], each = (end - first + 31) / 32;
    for (int k = first + lane * each; k < min(end, first + (lane + 1) * each); k++)
        sum += a[k] * v[column[k]];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0)
        y[r] = sum;
}
