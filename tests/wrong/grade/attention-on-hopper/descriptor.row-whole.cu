// says: at.*elements are wrong
__global__ void descriptor(int *low, int *at, const int *address,
                           const int *step, const int *row, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    int from = address[i], k = step[i], r = row[i];
    low[i] = from / 16 + 2 * k | 1 << 16;
    at[i] = from + 128 * r + 16 * (2 * k ^ r);
}
