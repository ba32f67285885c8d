// says: requests to read .*over
__global__ void groups(int *y, const int *x, const int *first, int n)
{
    int lane = threadIdx.x % 32, g = blockIdx.x * 8 + threadIdx.x / 32;
    if (g >= n || lane > 0)
        return;
    int sum = 0;
    for (int i = first[g]; i < first[g + 1]; i++)
        sum += x[i];
    y[g] = sum;
}
