// says: race: 
__global__ void sum_rows(int *y, const int *x, int rows)
{
    __shared__ int shared[256];
    int lane = threadIdx.x % 32, row = blockIdx.x * 8 + threadIdx.x / 32;
    volatile int *s = shared + threadIdx.x;
    if (row >= rows)
        return;
    s[0] = x[32 * row + lane];
    for (int d = 16; d > 0; d /= 2)
        if (lane < d)
            s[0] += s[d];
    if (lane == 0)
        y[row] = s[0];
}
