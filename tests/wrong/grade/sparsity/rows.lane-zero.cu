// says: elements are wrong
__global__ void rows_product(float *y, const float *a, const int *column,
                             const int *begin, const float *v, int rows)
{
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    float sum = 0;
    int end = begin[r + 1];
    for (int k = begin[r] + lane; k < end; k += 32)
        sum += a[k] * v[column[k]];
    for (int d = 8; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0)
        y[r] = sum;
}
