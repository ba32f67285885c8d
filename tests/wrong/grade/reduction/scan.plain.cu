// says: sectors read +19968 .*over
__global__ void scan(int *y, const int *x, int n)
{
    int first = blockIdx.x * 256;
    int i = first + threadIdx.x;
    if (i >= n)
        return;
    int sum = 0;
    for (int k = first; k <= i; k++)
        sum += x[k];
    y[i] = sum;
}
