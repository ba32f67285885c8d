// says: sectors read .*over|requests to read .*over
__global__ void groups(int *y, const int *x, const int *first, int n)
{
    int g = blockIdx.x * 8 + threadIdx.x;
    if (g >= n || threadIdx.x >= 8)
        return;
    int sum = 0;
    for (int i = first[g]; i < first[g + 1]; i++)
        sum += x[i];
    y[g] = sum;
}
