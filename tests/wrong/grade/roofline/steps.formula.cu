// says: sectors read .*over
__global__ void steps(int *y, const int *x, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    int sum = (i > 0) * x[i] + (i + 1 < n) * x[i];
    if (i >= 2)
        sum += x[i - 2];
    if (i + 2 < n)
        sum += x[i + 2];
    y[i] = sum;
}
