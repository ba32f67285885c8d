// says: barriers .*over
__global__ void sum_rows(int *y, const int *x, int rows)
{
    __shared__ int s[256];
    int t = threadIdx.x, lane = t % 32, row = blockIdx.x * 8 + t / 32;
    s[t] = row < rows ? x[32 * row + lane] : 0;
    for (int d = 16; d > 0; d /= 2) {
        __syncthreads();
        if (lane < d)
            s[t] += s[t + d];
    }
    if (lane == 0 && row < rows)
        y[row] = s[t];
}
